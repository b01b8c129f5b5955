package parser

import "testing"

func TestLaw_G2_WhatCanNotBeGuardedIsRefused(t *testing.T)    { golden(t, "g2") }
func TestLaw_K4_KeysThatAreRefused(t *testing.T)              { golden(t, "k4") }
func TestLaw_C17_OrphanPolicyIsAskedFor(t *testing.T)         { golden(t, "c17") }
func TestLaw_C12_ErrorRulesNameRealErrors(t *testing.T)       { golden(t, "c12") }
func TestLaw_S5_BrokenMachinesAreRefused(t *testing.T)        { golden(t, "s5") }
func TestLaw_G4_ArgumentsThatNameNothing(t *testing.T)        { golden(t, "g4") }
func TestLaw_K3_OperationsAreUnique(t *testing.T)             { golden(t, "k3") }
func TestLaw_G1_GeneratedNamesThatAreTaken(t *testing.T)      { golden(t, "names") }
func TestLaw_G3_BrokenSourceIsReportedWhereItIs(t *testing.T) { golden(t, "broken") }
func TestLaw_G1_AnySignature(t *testing.T)                    { golden(t, "g1") }
func TestLaw_S6_AnyFormOfState(t *testing.T)                  { golden(t, "s6") }
func TestLaw_S6_MoreFormsOfState(t *testing.T)                { golden(t, "s6more") }
func TestLaw_S7_GuardsCarryMore(t *testing.T)                 { golden(t, "s7") }
func TestLaw_S7_GuardsThatAreRefused(t *testing.T)            { golden(t, "s7bad") }
func TestLaw_S7_FireFillsTheParameters(t *testing.T)          { golden(t, "fireargs") }
func TestLaw_S4_ExplicitEdgesWin(t *testing.T)                { golden(t, "s4") }
func TestLaw_S2_WhatProvesADuplicate(t *testing.T)            { golden(t, "s2") }
func TestLaw_K4_NilOnTheWayIsGuarded(t *testing.T)            { golden(t, "guards") }
func TestLaw_G7_ConstraintsAndTests(t *testing.T)             { golden(t, "g7") }
func TestLaw_C2_LeaseAndRetention(t *testing.T)               { golden(t, "c2") }
func TestLaw_C9_LookupIsFilledIn(t *testing.T)                { golden(t, "lookup") }
func TestLaw_T9_TransactionsThatCanBeSeen(t *testing.T)       { golden(t, "tx") }
func TestLayersAreModelled(t *testing.T)                      { golden(t, "layers") }
