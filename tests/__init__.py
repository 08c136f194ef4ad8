"""The tests of Toolwright: promises, rooms, and the house itself."""
