import { decideAgreement, type ProtocolRules, protocolRules } from '@strata/server'
import type { Sabotage } from './sabotage.ts'
import { partsOf, releasePairs } from './world/shape.ts'

type Persisted = NonNullable<ReturnType<typeof decideAgreement>['persisted']>

/** The same, but for what the record remembers of what may be stored. */
const remembering = (
  persisted: (decided: { readonly epoch: number; readonly persisted: Persisted }) => Persisted,
): ProtocolRules => ({
  ...protocolRules,
  decideAgreement: (facts) => {
    const decided = decideAgreement(facts)
    return { ...decided, persisted: persisted({ ...decided, persisted: decided.persisted ?? [] }) }
  },
})
const { switch: releases } = releasePairs

/** What a record remembers of what may be stored, broken one way at a time. */
export const memorySabotages: readonly Sabotage[] = [
  {
    name: 'persisted-forgotten',
    breaks: 'rule 18: a record remembers only what its servers write by now',
    caughtBy: ['persisted-versions'],
    rules: remembering(({ epoch, persisted }) => persisted.filter((each) => each.epoch === epoch)),
    shape: { theme: 'rollouts', releases },
  },
  {
    name: 'persisted-unrecorded',
    breaks: 'rule 18: a record forgets that it is unknown what servers without a record wrote',
    caughtBy: ['persisted-versions'],
    rules: remembering(({ persisted }) => persisted.filter(({ reason }) => reason === undefined)),
    shape: { theme: 'calm', releases, parts: partsOf['some-unrecorded'] },
  },
]
