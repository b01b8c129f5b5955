package races

import (
	"os"
	"testing"

	"github.com/idemgen/idemgen/internal/servers"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }
