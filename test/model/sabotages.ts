import { decideAgreement, decideWriteKey, withSelection } from '@strata/server/coordination'
import { type Rules, rules } from './story.ts'

/** One rule of the protocol, broken, and the story in which that has to be noticed. */
export interface ModelSabotage {
  readonly name: string
  readonly breaks: string
  readonly story: string
  readonly rules: Rules
}

const broken = (changed: Partial<Rules>): Rules => ({ ...rules, ...changed })

export const modelSabotages: readonly ModelSabotage[] = [
  {
    name: 'no-fence',
    breaks: 'rule 3: the store does not compare the revision of the record',
    story: 'report',
    rules: broken({ guardsWrites: false }),
  },
  {
    name: 'blind-retry',
    breaks: 'rule 3: a broken guard is renewed without looking for the own entry',
    story: 'report',
    rules: broken({ decideBrokenGuard: () => ({ do: 'retry' }) }),
  },
  {
    name: 'no-definition-guard',
    breaks: 'rule 4: the store does not compare the revision of the CRD',
    story: 'definition',
    rules: broken({ guardsDefinition: false }),
  },
  {
    name: 'frozen-epoch',
    breaks: 'rule 10: the epoch stays although another version is written',
    story: 'report',
    rules: broken({
      decideAgreement: (facts) => ({ ...decideAgreement(facts), epoch: facts.previous?.epoch ?? 1 }),
    }),
  },
  {
    name: 'forgetful',
    breaks: 'the record names only what is written now, though older objects may be stored',
    story: 'report',
    rules: broken({
      decideAgreement: (facts) => {
        const status = decideAgreement(facts)
        return {
          ...status,
          persisted: (status.persisted ?? []).filter(({ epoch }) => epoch === status.epoch),
        }
      },
    }),
  },
  {
    name: 'own-choice',
    breaks: 'rule 12: a voter writes what it prefers, whatever is selected',
    story: 'vote',
    rules: broken({
      decideAgreement: (facts) => {
        const status = decideAgreement(facts)
        const servers = status.servers.map((entry) => ({
          ...withSelection([entry], entry.preferredVersion)[0],
        }))
        return { ...status, servers: servers as typeof status.servers }
      },
    }),
  },
  {
    name: 'hasty-key',
    breaks: 'rule 17: a server writes under its first key, whether the others read it or not',
    story: 'keys',
    rules: broken({
      decideWriteKey: (facts) => {
        const { keyProblem: _, wantedKey: __, ...decision } = decideWriteKey(facts)
        return { ...decision, writeKey: facts.keys.preferred ?? decision.writeKey }
      },
    }),
  },
  {
    name: 'blind-gap',
    breaks: 'rule 18: a server that does not record renews its guard whatever the record says',
    story: 'gates',
    rules: broken({ decideBrokenGap: () => ({ do: 'retry' }) }),
  },
  {
    name: 'blind-unseen',
    breaks: 'rule 18: a server without identity renews its guard though the record does not name it',
    story: 'gates',
    rules: broken({ decideBrokenUnseen: () => ({ do: 'retry' }) }),
  },
]
