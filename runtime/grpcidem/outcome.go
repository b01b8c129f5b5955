package grpcidem

import (
	"fmt"

	"github.com/idemgen/idemgen/runtime/idem"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// Names of the two forms in which outcomes are stored.
const (
	anyCodec    = "protobuf/any"
	statusCodec = "protobuf/status"
)

var deterministic = proto.MarshalOptions{Deterministic: true}

// encodeMessage is a response as a store keeps it.
func encodeMessage(m proto.Message) (idem.Outcome, error) {
	packed := new(anypb.Any)
	if err := anypb.MarshalFrom(packed, m, deterministic); err != nil {
		return idem.Outcome{}, err
	}
	data, err := deterministic.Marshal(packed)
	return idem.Outcome{Kind: idem.Succeeded, Codec: anyCodec, Data: data}, err
}

// encodeStatus is an error as a store keeps it.
func encodeStatus(st *status.Status) (idem.Outcome, error) {
	data, err := deterministic.Marshal(st.Proto())
	return idem.Outcome{Kind: idem.Succeeded, Codec: statusCodec, Data: data}, err
}

// decode is what a store kept: a response or an error's status.
func decode(o *idem.Outcome) (proto.Message, *status.Status, error) {
	switch {
	case o.Kind == idem.Oversize:
		return nil, nil, idem.ErrResultTooLarge
	case o.Kind == idem.Succeeded && o.Codec == anyCodec:
		packed := new(anypb.Any)
		if err := proto.Unmarshal(o.Data, packed); err != nil {
			return nil, nil, unreadable(err)
		}
		m, err := packed.UnmarshalNew()
		if err != nil {
			return nil, nil, unreadable(err)
		}
		return m, nil, nil
	case o.Kind == idem.Succeeded && o.Codec == statusCodec:
		st := new(spb.Status)
		if err := proto.Unmarshal(o.Data, st); err != nil {
			return nil, nil, unreadable(err)
		}
		if st.GetCode() == int32(codes.OK) {
			return nil, nil, unreadable(fmt.Errorf("an error with code OK"))
		}
		return nil, status.FromProto(st), nil
	}
	return nil, nil, unreadable(fmt.Errorf("kind %d, codec %q", o.Kind, o.Codec))
}

func unreadable(err error) error { return fmt.Errorf("%w: %w", idem.ErrResultUnreadable, err) }
