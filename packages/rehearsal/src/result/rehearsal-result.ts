import type { ServerKind, StepVerdict } from '../path/rehearsal-form.ts'

/** What came of a rehearsal: plain data, for reports, programs and the dashboard. Fields are only added. */
export interface RehearsalResult {
  /** Where it was played: in simulated time, or with real processes. */
  readonly world: 'simulated' | 'processes'
  readonly server: ServerKind
  readonly servers: number
  /** The worst verdict of a step. */
  readonly verdict: StepVerdict
  /** Every step has the verdict that it should have: `safe`, or what `expect` says. */
  readonly passed: boolean
  readonly steps: readonly StepResult[]
  /** Everything that happened, in the order of its time. */
  readonly events: readonly RehearsalEvent[]
  readonly interleavings: InterleavingSearch
}

export interface StepResult {
  /** From 1. */
  readonly step: number
  /** `upgrade x+2, server 3 late` */
  readonly text: string
  readonly verdict: StepVerdict
  /** The verdict that is right: `safe` unless the path expects another one. */
  readonly expected: StepVerdict
  readonly passed: boolean
  readonly reasons: readonly Reason[]
  /** Simulated milliseconds since the start of the path. */
  readonly fromMs: number
  readonly toMs: number
  /** The servers after the step. */
  readonly servers: readonly ServerState[]
  /** What is stored after the step. */
  readonly stored: readonly StoredVersions[]
}

/** Why a step has its verdict. A note changes no verdict. */
export interface Reason {
  readonly level: 'unsafe' | 'refused' | 'could not see' | 'note'
  /** A lasting word for programs: `unreadable`, `field-lost`. */
  readonly rule: string
  readonly message: string
  /** What to do about it. */
  readonly fix?: string | undefined
  /** From 1. */
  readonly server?: number | undefined
  /** `beacons.lighthouse.example.dev` */
  readonly resource?: string | undefined
  /** `default/beacon-1` */
  readonly object?: string | undefined
  /** `spec.colour` */
  readonly path?: string | undefined
}

export interface ServerState {
  /** From 1. */
  readonly server: number
  readonly state: 'up' | 'down' | 'frozen' | 'late'
  readonly release: string
}

export interface StoredVersions {
  readonly resource: string
  /** How many objects are stored in each apiVersion. */
  readonly versions: Readonly<Record<string, number>>
  /** Of a CRD: its status.storedVersions. */
  readonly storedVersions?: readonly string[] | undefined
}

export interface RehearsalEvent {
  /** Simulated milliseconds since the start of the path. */
  readonly atMs: number
  /** From 1. */
  readonly step: number
  readonly kind: 'step' | 'server' | 'crd' | 'write' | 'migration' | 'finding'
  /** From 1. */
  readonly server?: number | undefined
  readonly text: string
}

/** The path played again and again, with one server stopped in the middle of a write meanwhile. */
export interface InterleavingSearch {
  readonly searched: number
  /** Of how many there are. */
  readonly possible: number
  /** Writes that arrived late, and what became of them. */
  readonly lateWrites: { readonly stored: number; readonly refused: number }
  /** The first one in which a step becomes unsafe that is not expected to; else the first that is worse than the path. */
  readonly found?: FoundInterleaving | undefined
}

export interface FoundInterleaving {
  /** Where it shows, from 1. */
  readonly step: number
  readonly verdict: StepVerdict
  readonly reasons: readonly Reason[]
  /** What happens, in order. */
  readonly story: readonly string[]
  readonly events: readonly RehearsalEvent[]
}
