import { decideAgreement, decideSelection, type ProtocolRules, protocolRules } from '@strata/server'
import type { Sabotage } from './sabotage.ts'
import { partsOf, releasePairs, releasesTooFar } from './world/shape.ts'

type Facts = Parameters<typeof decideAgreement>[0]
type Status = ReturnType<typeof decideAgreement>
type SelectionFacts = Parameters<typeof decideSelection>[0]
type Selection = NonNullable<ReturnType<typeof decideSelection>>
type Entry = Facts['entries'][number]

const broken = (rules: Partial<ProtocolRules>): ProtocolRules => ({ ...protocolRules, ...rules })
/** The same, but for how the selection is decided. */
const selecting = (select: typeof decideSelection): ProtocolRules =>
  broken({ decideAgreement: (facts) => decideAgreement(facts, select) })
/** The same, but for what stands in the entries afterwards. */
const rewriting = (servers: (decided: Status, facts: Facts) => readonly Entry[]): ProtocolRules =>
  broken({
    decideAgreement: (facts) => {
      const decided = decideAgreement(facts)
      return { ...decided, servers: servers(decided, facts) }
    },
  })

const { switch: releases } = releasePairs
const isVoter = ({ preferredVersion }: Entry): boolean => preferredVersion !== undefined
const candidateOf = ({ preferredVersion, encodingVersion }: Entry): string =>
  preferredVersion ?? encodingVersion

export const voteSabotages: readonly Sabotage[] = [
  {
    name: 'vote-majority',
    breaks: 'rule 12: what most are for is selected',
    caughtBy: ['unanimous-selection'],
    rules: selecting(selectByMajority),
    shape: { theme: 'rollouts', releases, parts: partsOf.vote, instances: ['a', 'b', 'c'] },
  },
  {
    name: 'vote-unheard',
    breaks: 'rule 11: the vote does not wait for a live server without a candidate',
    caughtBy: ['unanimous-selection'],
    rules: selecting((facts) =>
      decideSelection({ ...facts, liveServers: new Set(facts.entries.map(({ serverID }) => serverID)) }),
    ),
    shape: { theme: 'calm', releases, parts: partsOf.vote },
  },
  {
    name: 'vote-one-by-one',
    breaks: 'rule 12: each voter changes its entry itself, some time after the selection has moved',
    caughtBy: ['honest-selection'],
    rules: rewriting(({ servers }, { previous }) =>
      servers.map((entry) => previous?.servers.find(({ process }) => process === entry.process) ?? entry),
    ),
    shape: { theme: 'rollouts', releases, parts: partsOf.vote },
  },
  {
    name: 'vote-forgotten',
    breaks: 'rule 12: a selection without a candidate is forgotten, and the next server decides',
    caughtBy: ['unanimous-selection'],
    rules: selecting((facts) => (facts.entries.length === 0 ? undefined : decideSelection(facts))),
    shape: { theme: 'rollouts', releases, parts: partsOf.vote },
  },
  {
    name: 'vote-defied',
    breaks: 'rule 12: a server that cannot write what is selected writes what it can',
    caughtBy: ['honest-selection'],
    rules: rewriting(({ servers }, { entries }) =>
      servers.map((entry) =>
        entry.refusesWrites ? (entries.find(({ process }) => process === entry.process) ?? entry) : entry,
      ),
    ),
    shape: { theme: 'rollouts', releases: releasesTooFar, parts: partsOf.vote },
  },
  {
    name: 'reporters-unheard',
    breaks: 'rule 13: only voters have a voice',
    caughtBy: ['unanimous-selection'],
    rules: selecting(selectAmongVoters),
    shape: { theme: 'rollouts', releases, parts: partsOf.mixed, instances: ['a', 'b', 'c'] },
  },
  {
    name: 'vote-at-start',
    breaks: 'rule 12: a selection is looked at again only when a server comes',
    caughtBy: ['comes-to-rest'],
    rules: selecting(selectWhenSomeoneComes),
    shape: { theme: 'calm', releases, parts: partsOf.vote },
  },
  {
    name: 'view-age-ignored',
    breaks: 'rule 14: a server with the loose guarantee writes by what it knew, however long ago',
    caughtBy: ['recorded-version'],
    rules: broken({ decideViewAge: () => undefined }),
    shape: { theme: 'zombies', releases, parts: partsOf.loose, leaseDurationSeconds: 20, clients: 5 },
  },
  {
    name: 'loose-mark-unset',
    breaks: 'rule 14: an expelled loose server leaves no mark, and the record is fenced at once',
    caughtBy: ['migration-proof'],
    rules: broken({ decideAgreement: decideWithoutMarks }),
    shape: {
      ...{ theme: 'zombies', releases, parts: partsOf['one-loose'], instances: ['a', 'b'], clients: 5 },
      leaseDurationSeconds: 20,
    },
  },
  {
    name: 'loose-says-strict',
    breaks: 'rule 14: an entry says that writes are guarded which are not',
    caughtBy: ['honest-selection', 'recorded-version', 'migration-proof'],
    rules: rewriting(({ servers }) => servers.map((entry) => ({ ...entry, guarantee: 'strict' }))),
    shape: { theme: 'calm', releases, parts: partsOf.loose, troubleMs: 30_000 },
  },
]

/** As if the writes of the servers that are gone had been guarded. */
function decideWithoutMarks(facts: Facts): Status {
  if (!facts.previous) return decideAgreement(facts)
  const { looseUntilSettled: _, ...previous } = facts.previous
  const present = new Set(facts.entries.map(({ process }) => process))
  const servers = previous.servers.map((entry) =>
    present.has(entry.process) ? entry : { ...entry, guarantee: 'strict' as const },
  )
  return decideAgreement({ ...facts, previous: { ...previous, servers } })
}

function selectByMajority(facts: SelectionFacts): Selection | undefined {
  const honest = decideSelection(facts)
  const counts = Map.groupBy(facts.entries, candidateOf)
  const [most] = [...counts].find(([, voters]) => 2 * voters.length > facts.entries.length) ?? []
  return honest && most !== undefined ? { ...honest, selectedVersion: most } : honest
}

function selectAmongVoters(facts: SelectionFacts): Selection | undefined {
  const entries = facts.entries.filter(isVoter)
  const liveServers = new Set(entries.map(({ serverID }) => serverID))
  return decideSelection({ ...facts, entries, liveServers: facts.liveServers.intersection(liveServers) })
}

function selectWhenSomeoneComes(facts: SelectionFacts): Selection | undefined {
  const { previousVersion, previousProcesses, entries } = facts
  const honest = decideSelection(facts)
  if (!honest || previousVersion === undefined) return honest
  const hasCome = entries.some(({ process }) => !previousProcesses.has(process))
  return hasCome ? honest : { ...honest, selectedVersion: previousVersion }
}
