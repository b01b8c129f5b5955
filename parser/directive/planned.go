package directive

// plannedSpecs are the directives that are known but not built yet: using one
// is a diagnostic of its own, never ignored and never a misspelling.
func plannedSpecs() []Spec {
	methods := []TargetKind{Method, Func, InterfaceMethod}
	return []Spec{
		{Name: "token", Doc: "consumes a token that was issued in advance", Targets: methods},
		{Name: "lock", Doc: "distributed lock with double check", Targets: methods},
		{Name: "unique", Doc: "lets a unique index of the business table decide", Targets: methods},
		{Name: "request", Doc: "replays the response of an HTTP handler", Targets: methods},
		{Name: "message", Doc: "takes each queue message once", Targets: methods},
	}
}
