// Package redis stands for redigo.
package redis

type Conn interface {
	Do(commandName string, args ...any) (reply any, err error)
}
