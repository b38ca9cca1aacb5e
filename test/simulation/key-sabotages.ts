import { decideAgreement, decideWriteKey, type ProtocolRules, protocolRules } from '@strata/server'
import type { Sabotage } from './sabotage.ts'
import type { Shape } from './world/shape.ts'

const broken = (rules: Partial<ProtocolRules>): ProtocolRules => ({ ...protocolRules, ...rules })

/** Keys are rotated, and servers restarted now and then. */
export const rotating: Partial<Shape> = { keys: true, theme: 'calm', instances: ['a', 'b'], clients: 3 }

/** Ways of encoding, whatever key they write under. */
function withoutKeys(encodings: readonly string[]): string {
  return encodings.map((each) => each.split(' ').toSpliced(1, 1).join(' ')).join()
}

/** What is promised of keys (rule 17), broken one promise at a time. */
export const keySabotages: readonly Sabotage[] = [
  {
    name: 'key-promoted-unread',
    breaks: 'rule 17: a key is written with before all the others read it',
    caughtBy: ['readable-keys'],
    rules: broken({
      decideWriteKey: (facts) => ({
        ...decideWriteKey(facts),
        writeKey: facts.keys.preferred ?? 'none',
      }),
    }),
    shape: rotating,
  },
  {
    name: 'key-first-unasked',
    breaks: 'rule 17: the first server to register a resource takes its own key, whichever others are alive',
    caughtBy: ['readable-keys'],
    rules: broken({
      decideWriteKey: (facts) => decideWriteKey({ ...facts, unregistered: [], elsewhere: undefined }),
    }),
    shape: { ...rotating, definitions: true, definer: false },
  },
  {
    name: 'key-lack-ignored',
    breaks: 'rule 17: a server takes part without a key that something may be under',
    caughtBy: ['readable-keys'],
    rules: broken({
      decideWriteKey: (facts) => {
        const { keyProblem: _, ...decision } = decideWriteKey(facts)
        return decision
      },
    }),
    shape: rotating,
  },
  {
    name: 'keys-forgotten',
    breaks: 'rule 17: a record does not remember which keys were written with',
    caughtBy: ['persisted-keys'],
    rules: broken({
      decideAgreement: (...asked) => {
        const status = decideAgreement(...asked)
        const { epoch, persisted = [] } = status
        return { ...status, persisted: persisted.filter((each) => each.epoch === epoch) }
      },
    }),
    shape: rotating,
  },
  {
    name: 'key-epoch-stands',
    breaks: 'rules 10 and 17: the epoch is not raised when another key is written with',
    caughtBy: ['honest-agreement', 'proven-clean'],
    rules: broken({
      decideAgreement: (facts, ...more) => {
        const decided = decideAgreement(facts, ...more)
        const { previous } = facts
        const isSame = previous && withoutKeys(previous.encodings) === withoutKeys(decided.encodings)
        return isSame ? { ...decided, epoch: previous.epoch } : decided
      },
    }),
    shape: rotating,
  },
  {
    name: 'key-removed-unproven',
    breaks: 'rule 17: a file is taken over whatever may still be under the keys that it lacks',
    caughtBy: ['removed-keys'],
    keys: {
      reload: async (configuration, encryption) => {
        await encryption.replace(configuration, new AbortController().signal)
        return undefined
      },
    },
    shape: rotating,
  },
  {
    name: 'forgotten-unread',
    breaks: 'rule 17: a record that no server writes forgets its keys whatever is stored',
    caughtBy: ['persisted-keys', 'persisted-versions'],
    rules: broken({ provesEmpty: () => true }),
    shape: { ...rotating, censuses: true },
  },
]
