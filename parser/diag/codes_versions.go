package diag

// Codes of versioned structs.
const (
	CodeLooseUpdate     Code = "IDEM470" // update without version
	CodeNoUpdates       Code = "IDEM471" // version without updates
	CodeNoColumnTags    Code = "IDEM472" // no tag says which field is which column
	CodeUnknownColumn   Code = "IDEM473" // a column that no field has
	CodeVersionType     Code = "IDEM474" // version column that is no 64-bit integer
	CodeFieldType       Code = "IDEM475" // a field that can't be a key or be written
	CodeColumnAmbiguous Code = "IDEM476" // two fields for one column, or two columns for one field
	CodeParamUntyped    Code = "IDEM477" // a parameter whose type nothing tells
	CodeVersionStruct   Code = "IDEM478" // a struct that can't be versioned
	CodeUpdateTwice     Code = "IDEM479" // two updates with one name
)

func versionCodes() []Info {
	const version = "//idem:version table=accounts key=id column=version\n"
	const update = "//idem:update Close set=\"open = FALSE\"\n"
	const fields = "type Account struct {\n\tID      int64 `db:\"id\"`\n\tVersion int64 `db:\"version\"`\n\tOpen    bool  `db:\"open\"`\n}"
	return []Info{
		{CodeLooseUpdate, "update without a version",
			"Updates stand in the same doc comment as the //idem:version that they belong to.",
			update + fields, version + update + fields},
		{CodeNoUpdates, "version without updates",
			"A version makes nothing by itself: each //idem:update becomes a function.",
			version + fields, version + update + fields},
		{CodeNoColumnTags, "no column tags",
			"The key and version columns are fields of the struct, and its db, gorm or bun tags say which.",
			version + update + "type Account struct {\n\tID, Version int64\n\tOpen bool\n}", version + update + fields},
		{CodeUnknownColumn, "unknown column",
			"No field of the struct has this column, by its tag or by the naming of gorm or bun.",
			"//idem:update Save set=statsu", "//idem:update Save set=status"},
		{CodeVersionType, "version is no 64-bit integer",
			"Every update counts the version up by one. A timestamp can be the same twice, a smaller integer runs over, a text can't be counted, and NULL equals nothing.",
			"Version time.Time `db:\"version\"`", "Version int64 `db:\"version\"`"},
		{CodeFieldType, "field can't be used",
			"The value of the field can't select a row or be written to a column as it is, or generated code can't name its type or reach it.",
			version + "//idem:update Tag set=tags\ntype Account struct {\n\tID      int64    `db:\"id\"`\n\tVersion int64    `db:\"version\"`\n\tTags    []string `db:\"tags\"`\n}", version + "//idem:update Tag set=\"tags = :tags\" params=tags:string\ntype Account struct {\n\tID      int64    `db:\"id\"`\n\tVersion int64    `db:\"version\"`\n\tTags    []string `db:\"tags\"`\n}"},
		{CodeColumnAmbiguous, "field and column don't match one to one",
			"Two fields of the struct have the column, or the tags of one field name two columns.",
			"A int `db:\"n\"`\nB int `db:\"n\"`", "A int `db:\"n\"`\nB int `db:\"m\"`"},
		{CodeParamUntyped, "type of a parameter is not known",
			"A parameter has the type of the field whose column it is compared with or assigned to, the first one. Where there is none, params= says it.",
			"//idem:update Close set=\"open = FALSE\" where=\":force OR balance = 0\"", "//idem:update Close set=\"open = FALSE\" where=\":force OR balance = 0\" params=force:bool"},
		{CodeVersionStruct, "struct can't be versioned",
			"The struct is generic, or its declaration can't be resolved.",
			version + update + "type Account[T any] struct {\n\tID      T     `db:\"id\"`\n\tVersion int64 `db:\"version\"`\n\tOpen    bool  `db:\"open\"`\n}", version + update + fields},
		{CodeUpdateTwice, "update given twice",
			"Each update becomes a method of the guard, so its name is its own.",
			"//idem:update Save set=open\n//idem:update Save set=status", "//idem:update Save set=open,status"},
	}
}
