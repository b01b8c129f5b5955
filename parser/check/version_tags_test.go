package check

import (
	"reflect"
	"testing"
)

// The names that gorm and bun give to fields without a column in their tag.
func TestColumnNaming(t *testing.T) {
	for field, want := range map[string][2]string{
		"ID":          {"id", "id"},
		"UserID":      {"user_id", "user_id"},
		"PaidAt":      {"paid_at", "paid_at"},
		"APIKey":      {"api_key", "api_key"},
		"HTTPSURL":    {"http_s_url", "httpsurl"},
		"UTF8Name":    {"utf8_name", "utf8_name"},
		"IPAddress":   {"ip_address", "ip_address"},
		"Address2":    {"address2", "address2"},
		"A":           {"a", "a"},
		"AB":          {"ab", "ab"},
		"XxA":         {"xx_a", "xxa"},
		"Snake_Case":  {"snake_case", "snake__case"},
		"OAuthToken":  {"o_auth_token", "o_auth_token"},
		"VersionUUID": {"version_uuid", "version_uuid"},
	} {
		if got := gormColumn(field); got != want[0] {
			t.Errorf("gorm: %s is %s, want %s", field, got, want[0])
		}
		if got := bunColumn(field); got != want[1] {
			t.Errorf("bun: %s is %s, want %s", field, got, want[1])
		}
	}
}

func TestColumnTags(t *testing.T) {
	for tag, want := range map[reflect.StructTag]columnTag{
		`db:"paid_at"`:                            {column: "paid_at"},
		`db:"paid_at,omitempty" json:"paid"`:      {column: "paid_at"},
		`db:"-"`:                                  {skip: true},
		`db:"-" gorm:"column:x"`:                  {column: "x"},
		`db:"a" gorm:"column:b"`:                  {column: "a", conflict: "b"},
		`gorm:"Column: x ;not null"`:              {column: "x"},
		`gorm:"embedded;embeddedPrefix:ship_to_"`: {embedded: true, prefix: "ship_to_"},
		`gorm:"-"`:                                {skip: true},
		`gorm:"-:all"`:                            {skip: true},
		`gorm:"-:migration"`:                      {},
		`gorm:"serializer:json"`:                  {encoded: true},
		`bun:"x,pk"`:                              {column: "x"},
		`bun:",pk"`:                               {},
		`bun:"note,nullzero"`:                     {column: "note", nullzero: true},
		`bun:"type:text"`:                         {},
		`bun:"-"`:                                 {skip: true},
		`bun:"rel:has-many,join:id=id"`:           {skip: true},
		`bun:"embed:a_"`:                          {embedded: true, prefix: "a_"},
		`bun:"table:orders,alias:o"`:              {skip: true},
		`json:"x"`:                                {},
	} {
		if got := readTag(tag); got != want {
			t.Errorf("%s: %+v, want %+v", tag, got, want)
		}
	}
}
