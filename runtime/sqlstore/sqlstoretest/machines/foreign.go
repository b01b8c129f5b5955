package machines

import "github.com/idemgen/idemgen/runtime/sqlstore/sqlstoretest/machines/pb"

// JobID is a key with a type of its own.
type JobID string

// Job is an enum of another package; its table stands in a schema.
//
//idem:statemachine table=main.jobs key=id column=status keytype=JobID initial=pb.Status_QUEUED final=pb.Status_OVER tests=true
//idem:transition Start pb.Status_QUEUED -> pb.Status_RUNNING
//idem:transition Stop * - pb.Status_OVER -> pb.Status_OVER
type Job = pb.Status
