package sqlstoretest

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// faults are the stores, and the laws that must find each out. fault replaces
// methods of a store that keeps all laws.
var faults = []struct {
	name  string
	laws  string
	fault func(s *faulty)
}{
	{"runs the body twice", "T1_OneTransaction C1_OneOfManyCallers", func(s *faulty) {
		s.inTx = inside(s.Store, func(ctx context.Context, tx *sql.Tx, body txBody) (idem.Outcome, error) {
			if out, err := body(ctx, tx); err != nil {
				return out, err
			}
			return body(ctx, tx)
		})
	}},
	{"reads before it claims", "C1_OneOfManyCallers", func(s *faulty) {
		s.inTx = func(ctx context.Context, c idem.Claim, body txBody) (idem.Found, error) {
			if got, err := s.Store.Lookup(ctx, c.Key); err != nil || got.Status != idem.Absent {
				return got, err
			}
			var out idem.Outcome
			err := s.Store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
				out, err = body(ctx, tx)
				return err
			})
			if err != nil {
				return idem.Found{}, err
			}
			return s.Store.Keep(ctx, c, out)
		}
	}},
	{"releases before the commit", "C7_AnswersAtOnce C11_StormOfFailures", func(s *faulty) {
		s.inTx = func(ctx context.Context, c idem.Claim, body txBody) (idem.Found, error) {
			if got, err := s.Store.InTx(ctx, c, func(context.Context, *sql.Tx) (idem.Outcome, error) { return done("?"), errBusiness }); err == nil {
				return got, nil
			}
			var out idem.Outcome
			err := s.Store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
				out, err = body(ctx, tx)
				return err
			})
			if err != nil {
				return idem.Found{}, err
			}
			return s.Store.Keep(ctx, c, out)
		}
	}},
	{"leaves the claim after a rollback", "T1_FailureLeavesNothing T1_EndedContextRollsBack", func(s *faulty) {
		s.inTx = func(ctx context.Context, c idem.Claim, body txBody) (idem.Found, error) {
			got, err := s.Store.InTx(ctx, c, body)
			if err != nil {
				_, _ = s.Store.Keep(context.WithoutCancel(ctx), c, done("claimed"))
			}
			return got, err
		}
	}},
	{"commits what failed", "T1_FailureLeavesNothing", func(s *faulty) {
		s.inTx = func(ctx context.Context, c idem.Claim, body txBody) (idem.Found, error) {
			var failed error
			got, err := s.Store.InTx(ctx, c, func(ctx context.Context, tx *sql.Tx) (out idem.Outcome, err error) {
				out, failed = body(ctx, tx)
				return out, nil
			})
			return got, errors.Join(failed, err)
		}
	}},
	{"catches panics", "T1_PanicAndGoexitRollBack", func(s *faulty) {
		s.inTx = inside(s.Store, func(ctx context.Context, tx *sql.Tx, body txBody) (out idem.Outcome, err error) {
			defer func() {
				if recover() != nil {
					err = errBusiness
				}
			}()
			return body(ctx, tx)
		})
	}},
	{"goes on after the context ended", "T1_EndedContextRollsBack", func(s *faulty) {
		s.inTx = func(ctx context.Context, c idem.Claim, body txBody) (idem.Found, error) {
			return s.Store.InTx(context.WithoutCancel(ctx), c, body)
		}
	}},
	{"looks by claiming", "C1_LookWritesNothing", func(s *faulty) {
		s.inTx = func(ctx context.Context, c idem.Claim, body txBody) (idem.Found, error) {
			c.Look = false
			return s.Store.InTx(ctx, c, body)
		}
	}},
	{"ignores wait", "C7_AnswersAtOnce C7_WaitIsBounded", func(s *faulty) {
		s.inTx = func(ctx context.Context, c idem.Claim, body txBody) (idem.Found, error) {
			c.Wait = 2 * time.Second
			return s.Store.InTx(ctx, c, body)
		}
	}},
	{"waits for itself", "T9_CallThatCallsItself", func(s *faulty) {
		s.join = func(ctx context.Context, tx *sql.Tx, c idem.Claim, body txBody) (idem.Found, error) {
			got, err := s.Store.Join(ctx, tx, c, body)
			if got.Status == idem.Running {
				time.Sleep(min(c.Wait, 2*time.Second))
			}
			return got, err
		}
	}},
	{"joins without a savepoint", "T9_JoinLeavesNothingOnError", func(s *faulty) {
		s.join = func(ctx context.Context, tx *sql.Tx, c idem.Claim, body txBody) (idem.Found, error) {
			var failed error
			got, err := s.Store.Join(ctx, tx, c, func(ctx context.Context, tx *sql.Tx) (out idem.Outcome, err error) {
				out, failed = body(ctx, tx)
				return out, nil
			})
			return got, errors.Join(failed, err)
		}
	}},
	{"commits what it joined", "T9_JoinedCallSharesTheFate T9_CallersTransaction", func(s *faulty) {
		s.join = func(ctx context.Context, tx *sql.Tx, c idem.Claim, body txBody) (idem.Found, error) {
			got, err := s.Store.Join(ctx, tx, c, body)
			_, failed := tx.ExecContext(ctx, "COMMIT; BEGIN")
			return got, errors.Join(err, failed)
		}
	}},
	{"aborts on a duplicate", "T2_JoinedDuplicateAbortsNothing", func(s *faulty) {
		s.join = func(ctx context.Context, tx *sql.Tx, c idem.Claim, body txBody) (idem.Found, error) {
			got, err := s.Store.Join(ctx, tx, c, body)
			if got.Status == idem.Done {
				_, err = tx.ExecContext(ctx, "ROLLBACK; BEGIN")
			}
			return got, err
		}
	}},
	{"joins with a second connection", "T9_PoolOfOne T9_GuardedCallInsideAnother", func(s *faulty) {
		s.join = func(ctx context.Context, tx *sql.Tx, c idem.Claim, body txBody) (idem.Found, error) {
			short, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			if _, err := s.Store.Lookup(short, c.Key); err != nil {
				return idem.Found{}, err
			}
			return s.Store.Join(ctx, tx, c, body)
		}
	}},
	{"classes no error", "T3_RefusalIsRetryable T3_RefusedCallRunsAgain", func(s *faulty) {
		s.inTx = func(ctx context.Context, c idem.Claim, body txBody) (idem.Found, error) {
			got, err := s.Store.InTx(ctx, c, body)
			if errors.Is(err, idem.ErrRetryTransaction) {
				err = errors.New(err.Error())
			}
			return got, err
		}
	}},
	{"swallows a failed commit", "T5_FailedCommitIsAnError T7_MemoryFollowsTheCommit", func(s *faulty) {
		s.inTx = func(ctx context.Context, c idem.Claim, body txBody) (idem.Found, error) {
			failed := errBusiness
			got, err := s.Store.InTx(ctx, c, func(ctx context.Context, tx *sql.Tx) (out idem.Outcome, err error) {
				out, failed = body(ctx, tx)
				return out, failed
			})
			if failed == nil {
				return idem.Found{Status: idem.Fresh, Record: got.Record}, nil
			}
			return got, err
		}
	}},
	{"begins with a read", "T4_WritersQueue", func(s *faulty) {
		s.inTx = func(ctx context.Context, c idem.Claim, body txBody) (got idem.Found, err error) {
			err = s.Store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) error {
				look := c
				look.Look = true
				if got, err = s.Store.Join(ctx, tx, look, body); err != nil || got.Status != idem.Absent {
					return err
				}
				got, err = s.Store.Join(ctx, tx, c, body)
				return err
			})
			return got, err
		}
	}},
	{"claims nothing", "T1_OneTransaction C1_GuardedCallsRunOnce T3_FirstOfThreeRollsBack T6_LoserSeesTheWinnersResult T5_HooksFollowTheCommit", func(s *faulty) {
		s.inTx = func(ctx context.Context, c idem.Claim, body txBody) (idem.Found, error) {
			c.Key.Hash = sha256.Sum256(c.Owner[:])
			return s.Store.InTx(ctx, c, body)
		}
	}},
	{"folds case", "K2_BytesDecide", func(s *faulty) {
		s.inTx = func(ctx context.Context, c idem.Claim, body txBody) (idem.Found, error) {
			c.Key.Hash = sha256.Sum256([]byte(strings.ToLower(c.Key.Readable)))
			return s.Store.InTx(ctx, c, body)
		}
	}},
	{"forgets the fingerprint", "K5_FingerprintSurvives C1_GuardedCallsRunOnce", func(s *faulty) {
		s.inTx = func(ctx context.Context, c idem.Claim, body txBody) (idem.Found, error) {
			c.Fingerprint = idem.Fingerprint{}
			return s.Store.InTx(ctx, c, body)
		}
	}},
	{"stores text", "C10_OutcomesComeBackAsTheyWere", func(s *faulty) {
		s.inTx = inside(s.Store, func(ctx context.Context, tx *sql.Tx, body txBody) (idem.Outcome, error) {
			out, err := body(ctx, tx)
			out.Data = []byte(strings.ToValidUTF8(string(out.Data), "?"))
			return out, err
		})
	}},
	{"never forgets", "C11_ExpiredRecordNeverBlocks", func(s *faulty) {
		s.inTx = func(ctx context.Context, c idem.Claim, body txBody) (idem.Found, error) {
			c.Retention = idem.Never
			return s.Store.InTx(ctx, c, body)
		}
	}},
	{"calls every keeper the first", "C12_KeptOutcomeReplays C12_KeepersLoseToAWinner C12_KeepHasOneWinner", func(s *faulty) {
		s.keep = func(ctx context.Context, c idem.Claim, o idem.Outcome) (idem.Found, error) {
			got, err := s.Store.Keep(ctx, c, o)
			got.Status = idem.Fresh
			return got, err
		}
	}},
	{"keeps nothing", "C12_KeptOutcomeReplays C12_FinalErrorIsStoredAfterTheRollback", func(s *faulty) {
		s.keep = func(context.Context, idem.Claim, idem.Outcome) (idem.Found, error) {
			return idem.Found{Status: idem.Fresh}, nil
		}
	}},
	{"tells no owner", "T1_OneTransaction C1_OneOfManyCallers C16_SameOwnerSameAnswer", func(s *faulty) {
		s.inTx = func(ctx context.Context, c idem.Claim, body txBody) (idem.Found, error) {
			got, err := s.Store.InTx(ctx, c, body)
			if got.Status == idem.Done {
				got.Record.Owner = idem.Owner{}
			}
			return got, err
		}
	}},
	{"looks up no owner", "T8_LostReplyOfACommit", func(s *faulty) {
		s.lookup = func(ctx context.Context, k idem.Key) (idem.Found, error) {
			got, err := s.Store.Lookup(ctx, k)
			got.Record.Owner = idem.Owner{}
			return got, err
		}
	}},
}

// inside replaces the body by one around it.
func inside(s *sqlstore.Store, around func(ctx context.Context, tx *sql.Tx, body txBody) (idem.Outcome, error)) func(context.Context, idem.Claim, txBody) (idem.Found, error) {
	return func(ctx context.Context, c idem.Claim, body txBody) (idem.Found, error) {
		return s.InTx(ctx, c, func(ctx context.Context, tx *sql.Tx) (idem.Outcome, error) { return around(ctx, tx, body) })
	}
}
