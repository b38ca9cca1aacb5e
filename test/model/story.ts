import {
  decideAgreement,
  decideBrokenGap,
  decideBrokenGuard,
  decideBrokenUnseen,
  decideWriteKey,
  isFleetComplete,
  unregisteredServers,
  wantedChange,
} from '@strata/server/coordination'

export const versions = ['example.dev/v1', 'example.dev/v2'] as const
export const keyNames = ['aesgcm:one', 'aesgcm:two'] as const

/** A version and a key, as one number. */
export const pairOf = (version: string, key: string): number =>
  versions.indexOf(version as (typeof versions)[number]) * 2 +
  Math.max(0, keyNames.indexOf(key as (typeof keyNames)[number]))
export const versionOf = (pair: number): string => versions[pair >> 1] ?? ''
export const keyOf = (pair: number): string => keyNames[pair & 1] ?? ''
export const pairs = [0, 1, 2, 3] as const

/** What a release prefers to write, and what it reads, by index. */
export interface Release {
  readonly prefers: number
  readonly reads: readonly number[]
  /** Feature gates: `lease` records nothing and has an identity, `unseen` has none either (rule 18). */
  readonly gates?: 'lease' | 'unseen'
}

export const releases = {
  'x (v1 only)': { prefers: 0, reads: [0] },
  'x+1 (writes v1)': { prefers: 0, reads: [0, 1] },
  'x+2 (writes v2)': { prefers: 1, reads: [0, 1] },
} as const satisfies Record<string, Release>

/** Keys by index, the one to write under first. */
export type KeyFile = readonly number[]

export interface Start {
  readonly release: number
  readonly keys: number
}

/** What every step is decided by; each is the server's own, unless a sabotage replaces it. */
export interface Rules {
  readonly decideAgreement: typeof decideAgreement
  readonly decideBrokenGuard: typeof decideBrokenGuard
  readonly decideBrokenGap: typeof decideBrokenGap
  readonly decideBrokenUnseen: typeof decideBrokenUnseen
  readonly decideWriteKey: typeof decideWriteKey
  readonly wantedChange: typeof wantedChange
  readonly isFleetComplete: typeof isFleetComplete
  readonly unregisteredServers: typeof unregisteredServers
  /** The store compares the record's revision (rule 3). */
  readonly guardsWrites: boolean
  /** The store compares the CRD's revision (rule 4). */
  readonly guardsDefinition: boolean
}

export const rules: Rules = {
  ...{ decideAgreement, decideBrokenGuard, decideBrokenGap, decideBrokenUnseen, decideWriteKey },
  ...{ wantedChange, isFleetComplete, unregisteredServers, guardsWrites: true, guardsDefinition: true },
}

/** What may happen in one model. Everything that may happen, happens in every order. */
export interface Story {
  readonly name: string
  readonly says: string
  /** By slot: the server whose processes run there. */
  readonly slots: readonly number[]
  readonly releases: readonly Release[]
  readonly keyFiles: readonly KeyFile[]
  /** Which release is started with which file of keys, by index; without it, each with each. */
  readonly starts?: readonly Start[]
  readonly form: 'report' | 'vote'
  /** A CRD chooses the version, and its storage version is switched to and fro. */
  readonly isCustom: boolean
  /** Commits of records and Leases arrive late too. Elsewhere only writes of objects do: see README.md. */
  readonly hasLateRecords?: boolean
}

export function startsOf({ releases, keyFiles, starts }: Story): readonly Start[] {
  return (
    starts ??
    [...releases.keys()].flatMap((release) => [...keyFiles.keys()].map((keys) => ({ release, keys })))
  )
}

export const serverCount = ({ slots }: Story): number => Math.max(...slots) + 1
export const serverName = (server: number): string => `server-${'abc'[server]}`

/** The process that runs in a slot, or any that ran there before. */
export function processName({ slots }: Story, slot: number, isBefore = false): string {
  return `${serverName(slots[slot] ?? 0)}_${slot}${isBefore ? '-before' : ''}`
}

const { 'x (v1 only)': old, 'x+1 (writes v1)': before, 'x+2 (writes v2)': after } = releases

const plain = { releases: [before, after], keyFiles: [[0]], form: 'report', isCustom: false } as const

/** At full size: three servers. */
export const stories: readonly Story[] = [
  {
    ...plain,
    name: 'report',
    says: 'servers report, upgrade and roll back; any Lease may expire at any time',
    slots: [0, 1, 2],
  },
  {
    ...plain,
    name: 'vote',
    says: 'servers vote; one release cannot write the newer version',
    slots: [0, 1, 2],
    releases: [old, before, after],
    form: 'vote',
  },
  {
    ...plain,
    name: 'takeover',
    says: 'two processes of one server run at once and take the Lease from each other, beside another server',
    slots: [0, 0, 1],
    hasLateRecords: true,
  },
  {
    ...plain,
    name: 'definition',
    says: 'the storage version of a CRD is switched to and fro',
    slots: [0, 1, 2],
    releases: [before],
    isCustom: true,
  },
  {
    ...plain,
    name: 'keys',
    says: 'a key is added, promoted and removed, in any order, server by server',
    slots: [0, 1, 2],
    releases: [before],
    keyFiles: [[0], [0, 1], [1, 0], [1]],
  },
  {
    ...plain,
    name: 'rotation',
    says: 'a key is rotated while servers are upgraded and rolled back; each release with two of four files of keys',
    slots: [0, 1, 2],
    keyFiles: [[0], [0, 1], [1, 0], [1]],
    starts: [
      { release: 0, keys: 0 },
      { release: 0, keys: 2 },
      { release: 1, keys: 1 },
      { release: 1, keys: 3 },
    ],
  },
  {
    ...plain,
    name: 'gates',
    says: 'the feature gates are switched off and on, server by server, with and without an identity',
    slots: [0, 1, 2],
    releases: [after, { ...before, gates: 'lease' }, { ...before, gates: 'unseen' }],
  },
]

/** The same with one process fewer. */
export function smaller(story: Story): Story {
  const slots = story.slots.slice(0, -1)
  return { ...story, slots }
}
