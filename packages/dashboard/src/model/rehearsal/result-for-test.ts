import type { RehearsalResult, StepResult } from '@strata/rehearsal/result'

const up = { server: 1, state: 'up', release: 'v1.0' } as const

export const stepOf = (step: number, more: Partial<StepResult> = {}): StepResult => ({
  ...{ step, text: `upgrade v1.${step}`, verdict: 'safe', expected: 'safe', passed: true },
  ...{ reasons: [], fromMs: 0, toMs: 1, servers: [up], stored: [] },
  ...more,
})

export const resultOf = (
  steps: readonly StepResult[],
  more: Partial<RehearsalResult> = {},
): RehearsalResult => ({
  ...{ world: 'simulated', server: 'strata', servers: 3, verdict: 'safe', passed: true },
  ...{ steps, events: [] },
  interleavings: { searched: 0, possible: 0, lateWrites: { stored: 0, refused: 0 } },
  ...more,
})

/** Stored in these versions of one CRD. */
export const stored = (versions: Readonly<Record<string, number>>): StepResult['stored'] => [
  { resource: 'lamps.light.example.dev', versions },
]
