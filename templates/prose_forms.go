package templates

// joinedDoc is the doc comment of the form that joins a transaction.
func (w *wrapper) joinedDoc(name, of string) []string {
	tx := "tx"
	if w.m.TxParam >= 0 {
		tx = w.sc.Params[w.m.TxParam]
	}
	where := "the caller's transaction " + tx
	if w.m.TxCtx {
		where = "the caller's transaction, which " + w.ctx + " carries"
	}
	if w.isFunc() {
		return []string{name + " is " + of + " inside " + where + ": no begin, commit or retry. What it did stands or falls with that transaction."}
	}
	lines := []string{name + " is " + of + " inside " + where + ": no begin, commit or retry.",
		w.fate() + " with that transaction; an error is returned, not stored."}
	if w.m.Unique != nil {
		lines = append(lines, "A duplicate is looked up there at READ COMMITTED; at a stricter level, which can't see the other row, it gets idem.ErrRetryTransaction.")
	}
	return lines
}

// fate names what a joined transaction decides: what the layers of this method
// write, and the method's own writes.
func (w *wrapper) fate() string {
	own := " and what " + w.m.Name + " wrote stand or fall"
	switch {
	case recordOf(w.m.Method) == nil && w.m.Fire == nil:
		return "What " + w.m.Name + " wrote stands or falls"
	case recordOf(w.m.Method) == nil:
		return "The row's state" + own
	case w.m.Fire == nil:
		return "The record" + own
	}
	return "The record, the row's state" + own
}

// constructorDoc says what the parts are for; vars are their names as parameters.
func (b *serviceBuilder) constructorDoc(vars map[string]string) []string {
	lines := []string{b.s.constructor + " wraps next."}
	for _, p := range given(b.parts) {
		switch p.rank {
		case rankRecords:
			lines = append(lines, b.recordsText()+" are kept in "+vars[p.id]+".")
		case rankTx:
			lines = append(lines, "Transactions are begun by "+vars[p.id]+", which keeps records in them.")
		case rankTokens:
			lines = append(lines, "Tokens that were issued before are consumed in "+vars[p.id]+".")
		case rankLocks:
			lines = append(lines, "Locks are held in "+vars[p.id]+".")
		case rankViolation:
			lines = append(lines, "Errors of the driver are told apart by "+vars[p.id]+": sqlstore.UniqueViolation, or one of your own.")
		}
	}
	return lines
}

// recordsText says what the store of records keeps.
func (b *serviceBuilder) recordsText() string {
	requests := 0
	for _, m := range b.s.methods {
		if m.Request != nil {
			requests++
		}
	}
	if requests == len(b.s.methods) {
		return "Responses"
	}
	text := "Records of methods without a transaction"
	if requests > 0 {
		text += ", and responses,"
	}
	return text
}
