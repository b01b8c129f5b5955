package machines

// Level has gaps and a negative number, in a table whose names are SQL's own words.
//
//idem:statemachine table=order key=group column=select keytype=int64 initial=Low final=High tests=true
//idem:transition Raise Low,Mid -> High
//idem:transition Warm Low -> Mid
//idem:transition Cool Mid -> Low
type Level int8

// Levels.
const (
	Low  Level = -7
	Mid  Level = 0
	High Level = 100
)

// Step counts with iota.
//
//idem:statemachine table=steps key=id column=step keytype=uint32 initial=First final=Third tests=true
//idem:transition Next First -> Second
//idem:transition Last Second -> Third
type Step uint16

// Steps.
const (
	First Step = iota
	Second
	Third
)

// Grade is a byte written as a character; keys are bytes.
//
//idem:statemachine table=grades key=hash column=grade keytype=[]byte initial=GradeB final=GradeA tests=true
//idem:transition Promote GradeB,GradeC -> GradeA
//idem:transition Demote GradeB -> GradeC
type Grade byte

// Grades.
const (
	GradeA Grade = 'A'
	GradeB Grade = 'B'
	GradeC Grade = 'C'
)
