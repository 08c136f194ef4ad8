"""Which words stand for each other when somebody asks for a tool.

People say what they want in their own words (``umbrella``, ``rent``, ``hoover``), tools are described in the words of
their makers (``forecast``, ``lease``, ``vacuum``). Two tables of everyday words bring them together: in a line of
``_SAME`` every word may stand for every other; in ``_HINTS`` the words on the right hint at those on the left, not the
other way round. What the tables are worth is measured in benchmarks/registry.py.

This module may not know any tool: general words only.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from toolwright.registry.words import stem

__all__ = ["related"]

_SAME: Final = """
access permission right privilege
account profile
achieve accomplish
activity exercise workout
add append insert include
addr address
address location place
adjust change modify update edit alter
airplane plane aircraft flight
alarm alert warning notification
allow grant permit enable authorize
amount quantity sum total
analyze examine inspect evaluate assess
answer reply respond response
apartment flat house home property
app application program software
appointment booking reservation
archive zip tar bundle compress pack
area surface region
article post story
ask question query
athlete player
attach enclose
auth authentication authorization login
author writer
average mean
avg average
baggage luggage
basket cart
battle fight
beautify format prettify tidy
begin start launch initiate
bill invoice
bio biography
blend mix combine merge join
bmi obesity
book reserve order
btc bitcoin
bug issue defect ticket
build compile
buy purchase order
cab taxi ride uber
calc calculator calculate
calculate compute determine figure
calendar schedule agenda diary
cancel abort revoke
capacity volume
car vehicle automobile auto
cash money fund
certificate ssl tls https
chart graph plot diagram
chat conversation message
cheap affordable inexpensive budget
check verify validate confirm
choose pick select choice
cinema movie film
city town
clean vacuum hoover
clothes apparel clothing fashion
cmd command
code program source script
collect gather
colour color hue
combine join merge concatenate
command shell terminal
comment remark note
company business corporation firm enterprise
compare contrast difference diff
competition contest tournament
component element part
concert gig show
config configuration setting option
container docker
contract agreement
convert transform change turn translate
cook recipe dish meal
coord coordinate
copy duplicate clone
correct fix repair mend
cost price fee charge rate
country nation
coupon voucher promo discount
court legal law judicial
create make generate produce new
credential password login
crime criminal offense
crypto cryptocurrency bitcoin ethereum coin
ctx context
customer client buyer
data dataset record
date day
db database
decode decrypt decipher
del delete
delay late
delete remove erase discard
deliver ship dispatch
deploy release rollout ship
desc description
describe explain
dest destination
destination target
dev development developer
dev deviation
dictionary definition
diet nutrition
dimension size
dir directory
directory folder
disease illness condition
distance far apart
divisor factor
dob birth birthday
doc documentation document
doctor physician specialist medic
document file
download fetch
draw illustrate sketch paint picture
drug medication medicine pharmaceutical
duration length time
earn salary income wage
earthquake seismic quake
education school university college
email mail inbox mailbox
employee staff worker hire
encrypt cipher encode
end finish terminate stop
env environment
equation formula
error failure fault
eth ethereum
event occasion
exec execute
execute run
expression formula
ext extension
extract parse scrape
fact trivia
fare ticket price
feedback review rating
fetch get retrieve obtain
find search locate lookup discover
flip toss
fly flight
fn function
food meal dish
forecast predict prediction
forest tree plant
fraction ratio percentage percent
freq frequency
friend contact
fuel gas gasoline petrol
gain profit
game match
gen generate
gene dna genetic genome
genre kind type category
geo geographic
give provide
goal target
grade score mark
group team
guess estimate
hash digest checksum md5 sha256
health medical
hero character
holiday vacation leave
host server machine
hotel accommodation lodging inn
hr hour
humidity moisture
humour joke funny laugh
id identifier identification
image picture photo photograph
img image
improve enhance
increase raise grow
info information
information detail
ingredient food
install setup
instrument musical
insurance coverage policy
int integer
interest yield
internet web online
investment invest portfolio
item product good
job position career vacancy
join enroll
journey trip travel
kill terminate stop end
landmark attraction sight monument
lang language
language tongue
lat latitude
latency ping
learn study
lecture course class
len length
letter character
lib library
library package dependency module
lightbulb lamp light
list enumerate
lock secure
logo brand
lon lng longitude
lottery random
lyric lyrics
map geographic location
market trade
mass weight
match game fixture
max maximum
meaning define definition
meeting call conference appointment
memory ram
merchandise product
message text sms
metric measure statistic
min minimum minute
misc miscellaneous
mix blend
mood sentiment emotion
mortgage loan
move transfer relocate
msg message
mult multiply
music song track tune
name title
newest latest recent
news headline
num number
number digit integer
nutrient nutrition calorie protein vitamin
occupation profession job
offer deal
office workplace
open unlock
opinion review
opponent rival
org organization
os platform
output print log
owe debt
own owner
package parcel shipment
page site website webpage
painting artwork art
param parameter
parameter argument
participant attendee
pay payment
payroll salary
pct percent
people population
performance perform
perm permission
phone tel
phone telephone mobile cell
pic picture
picture draw image
pkg package
plan schedule
play stream
pollution pollutant
position location coordinate
possibility probability chance odds likelihood
post publish
power energy
pref preference
prime factor
print display
prob probability
process program
property attribute
qty quantity
quick fast speed
quote quotation
rain precipitation snow
rank standing ranking leaderboard position
rate ratio
reach reachable
read view
reboot restart
rec recommend
recommend suggest suggestion
record log
ref reference
refund reimburse
regression trend
rel relative
rename name
rent lease hire rental
repo repository
repository repo
req request requirement
request ask
res result resolution
reset recover
restaurant diner eatery cafe
result outcome score
return bring
revenue turnover sales
review rating
road street
rollback revert undo
root solution
route direction path way navigation
run execute
save store
schema structure
seat ticket
sec second
secret key token
sequence series
service api
set assign
share stock equity
shoe sneaker
shop store retailer
shorten summarize abbreviate condense
show display
side edge
sig signature
sign register enroll
singer artist band musician
site website
sleep rest
solve resolve solution
sort order arrange
spec specification
speech voice spoken audio
speed velocity
spell spelling orthography
sport athletic
src source
statistic stats
std standard
stddev deviation
step stage
str string
sum add total
summary overview gist synopsis
surname lastname
symbol ticker
sync synchronize
synonym thesaurus
sys system
table chart
tag label
task todo
team club squad
temp temperature temporary
temperature heat thermostat
test exam quiz
text message
theater theatre
time hour clock
timezone zone
title name
today current now
tool utility
track follow monitor
traffic congestion jam
train railway rail
transcribe dictate
translate translation
transport transit
tz timezone
unit measurement
upload submit
usage consumption utilisation
user member
username login
util utility
vacancy opening
val value
value worth
var variable variance
variable symbol
version release
video clip
visit tour
vol volume
warn alert notify
watch monitor
weather climate
weekend weekday
wind breeze
winner win
word term vocabulary
work job
worker replica instance
year annual
"""

_HINTS: Final = """
access permission < edit rights contractor let
account password < forgot locked
account user < intern newcomer
address < street avenue
air quality < breathe smog asthma
alert monitor < threshold exceed above warn
append add < bottom tack
archive compress < tarball gz
area < big square surface cover acre
area distance < metre feet
astronomy planet sky < mars jupiter venus saturn telescope mercury moon
atom element < gold iron carbon atomic melting boiling tungsten copper silver oxygen
attendee participant < everybody colleague
availability free slot < gap busy
background < backdrop transparent
balance account < bank money
bank account < checking saving
bank balance < saving
bmi < overweight underweight obese
book < novel read literature
branch < upstream fork
branch git < feature
brightness light < dark
burn calorie < running swimming cycling jogging workout
business company < startup
calendar event < meeting appointment dentist lunch tomorrow invite
cart < basket item take
cast director film < actor star play
changelog log < entry
chart < visual visualize curve bar pie
chemical compound molar < mole molecule water
chess < board bishop knight pawn queen
circle < round diameter circumference
city < paris london berlin tokyo york
clean vacuum < dirty floor carpet sweep mop
coffee cafe < espresso latte
command shell < npm ls bash cmd
commit < repo
commit git < checkin
compile build < binary
compound interest < saving grow
contact phone < mom dad
container < image
content text < written say word paragraph
contract agreement < sign
conversation < talk
convert unit < mile kilometre kilogram pound inch celsius fahrenheit ounce gram metre feet
copy < second again backup
country < france germany japan italy spain brazil india china canada england nation abroad
court case < ruling judgment verdict lawsuit infringement judge attorney lawyer sue
cpu process < hog slow busy
currency exchange < dollar euro yen pound usd eur gbp jpy
current time < now date
customer < shopper patron
cylinder < tank cylindrical can
database sql < customer select postgres mysql sqlite
date time < tomorrow yesterday tonight noon midnight monday tuesday wednesday thursday friday saturday sunday
delete < rid drop clear
delivery food < hungry pizza sushi burger
department < marketing engineering
dependency package < numpy pip npm pypi
deployment < build ship broken
derivative < differentiate slope
derivative integral < calculus
diagnosis symptom < fever cough headache sick
dictionary word < mean term
dimension size < wide pixel thumbnail big shrink tall
direction route < drive walk way
directory list < inside folder
discount < price off
disk < drive space storage
division divisor < divide
doctor < dermatologist cardiologist dentist checkup pediatrician
document < template essay letter
domain dns < ip mx hostname
drug medication < ibuprofen aspirin antibiotic warfarin pill tablet dose
duration < long minute half
email < inbox unread sender write correspond
encrypt < secret unreadable protect aes
energy < joule kinetic
environment < production staging
equation < unknown
error < broken crash wrong hang
event < party wedding birthday
exercise < gym yoga fitness
exercise activity < running swimming cycling jog hike
expiry expire < valid
expression function < sin cos log
factorial < permutation arrange
file < document
file directory < inside
film movie < actor actress directed watch horror comedy thriller hollywood
finance < wealth
financial company < profit revenue earnings
flight < airport fly airline plane gate boarding
flight airline < delayed gate time
flight hotel < travel trip vacation
food < pizza sushi burger chicken egg bread
format < indentation style lint pretty
game dice < roll throw toss
gene < protein chromosome mutation
genealogy family < ancestor
geometry < triangle square rectangle circle polygon
git change < uncommitted modified
git diff < difference changed
git merge < bring
gravity force < newton
health < pain sick back
history past < ago yesterday last
holiday < off free closed day
home < office
host < up down online server
hotel < stay room sleep night
image < screenshot
image photo < selfie portrait logo
income tax < salary
integral < antiderivative
interaction < together combine
interval range < between
job < opening hiring remote work
joke < laugh funny humor
jurisdiction < california federal
key < leak token
language < english french german spanish japanese chinese danish norwegian italian
league < premier
league team < rank win season
legal < patent copyright privacy
light < lamp bulb dim bright shine
line < row
list < all which
loan < borrow installment lend
location < nearby close here
location place < where
lock door < unlock open shut
lyric < song sing word text
mailbox email < read
mathematics < algebra arithmetic
matrix < product multiply
maximum < largest biggest highest greatest
meeting < teams
message < text tell inform
messenger < rna strand
minimum < smallest lowest least
money amount < much dollar euro
mortgage < house home loan
move file < put
movie < comedy horror drama thriller
movie show < tv
multiply < product
music < hear listen band album kitchen speaker beat
name < called
network host < reach offline
new create < make need
news < happened world
notify < tell
number < pick many
nutrition < protein fat carb vitamin eat
ocr recognize < scanned screenshot receipt
opinion sentiment < think feel
order < purchase
output < print
package < numpy pandas react
parcel track < shipment arrive
password < login
payment refund < back
performance metric < busy utilization usage
permission access < right let
pet < dog cat
place interest < museum park cafe shop restaurant
planet position < see
player < goal
pollen allergy < sneeze
population < inhabitant resident
port < socket
price < worth much cost
probability < chance
process < pid job
product < headphone shoe laptop sku price
property house < bedroom apartment
pull request < pr review propose
purchase < acquire
python < py
quality < safe
query < select from where
random < any pick shuffle
range projectile < throw shoot cannonball land
reboot restart < bounce
receipt < bill
recipe < cook dinner lunch breakfast bake vegan vegetarian
register create account < sign onboard
reminder < forget remember remind
rental car < suv van drive
repository < repo github
request http < endpoint post put
restaurant < dine dinner eat lunch pizzeria
restaurant table < dinner
review < critic
rna < strand messenger transcribe
robot < hoover
route < quickest shortest
run test < succeed pass
sandbox execute < snippet evaluate
schedule event < diary
score < beat goal
score match < game won lost beat win
search file < grep locate
search text < grep
seat flight < business economy class
security < hack leak
sentiment < happy angry positive negative mood
service restart < bounce
ship order < arrive
slack < channel team
song < sing
speech audio < loud aloud
spelling < typo essay mistake misspell
sports score < soccer football basketball baseball tennis
standard deviation < spread variance
stash < shelve aside later
state < staged
status < still
stock < trading trade invest
stock history price < closing
submit request < ask like
sum < plus
summary < short long brief boil shorten
sun < shine
sunrise sunset < dawn dusk sun
symbol < identifier
symbol reference < called usage used
table row record < insert put
task < note remember
tax < deduct vat
tax income < irs owe
temperature < hot warm cold degree celsius fahrenheit
terminal < console
test < pass fail
text < paragraph essay article sentence letter tweet
thermostat temperature < cold warm heating heat degrees
ticket concert < front row
tip < waiter gratuity restaurant
town city < downtown
train < station depart leave
translate language < say french japanese spanish german chinese
travel < trip
triangle < sided
trip < itinerary
tv channel < broadcast
unit < liter litre gallon meter yard
user < customer
vacation leave < off
vehicle < truck
version < upgrade newest old
visa < passport travel enter papers
voice text < loud
volume < fit hold water
weather < rain raining snow sunny hot cold warm degrees outside
weather forecast < umbrella rain snow sunny hot cold warm wet storm
web < google internet online
weight < heavy
wikipedia < encyclopedia wiki
word < adjective verb noun
worker < colleague
write file < put save
zone < tokyo york london
"""


@cache
def related(word: str) -> frozenset[str]:
    """Return the stems that a stem may stand for, itself left out."""
    return _table().get(word, frozenset())


@cache
def _table() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for group in _SAME.splitlines():
        alike = [stem(word) for word in group.split()]
        for word in alike:
            found.setdefault(word, set()).update(alike)
    for line in _HINTS.splitlines():
        meant, _, hinting = line.partition("<")
        for word in hinting.split():
            found.setdefault(stem(word), set()).update(map(stem, meant.split()))
    return MappingProxyType({word: frozenset(others - {word}) for word, others in found.items()})
