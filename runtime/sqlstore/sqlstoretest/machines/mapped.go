package machines

// Parcel is a number whose column holds a letter.
//
//idem:statemachine table=parcels key=id column=parcel initial=ParcelSent final=ParcelBack,ParcelHome values=ParcelSent:S,ParcelHome:H,ParcelBack:B tests=true
//idem:transition Deliver ParcelSent -> ParcelHome
//idem:transition Return ParcelSent -> ParcelBack
type Parcel int

// States of a parcel.
const (
	ParcelSent Parcel = iota + 1
	ParcelHome
	ParcelBack
)

// Mood is a string whose column holds a number.
//
//idem:statemachine table=moods key=id column=mood initial=Calm values=Calm:0,Angry:-5 history=mood_history tests=true
//idem:transition Annoy Calm -> Angry
//idem:transition Soothe Angry -> Calm
type Mood string

// Moods.
const (
	Calm  Mood = "calm"
	Angry Mood = "angry"
)

// Gate is a bool whose column holds a word.
//
//idem:statemachine table=gates key=id column=gate initial=Shut final=Open values=Shut:'shut',Open:'open' tests=true
//idem:transition Unlock Shut -> Open
type Gate bool

// Positions of a gate.
const (
	Shut Gate = false
	Open Gate = true
)
