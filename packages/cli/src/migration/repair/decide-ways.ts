import { type GroupResource, groupResourceText } from '@strata/api'
import { isUnderUnknownKey } from '@strata/controllers'
import { type RefusalClass, refusalClassOf } from '@strata/insight'
import type { Given } from '../resources/given-flags.ts'
import { type PassingCause, passingCauseOf } from './decide-passing.ts'

/** One way to mend an object, or what refuses it. */
export interface Way {
  /** What is done, or to what. `delete`: its bytes are saved and deleted; `restore`: and it is created again. */
  readonly kind: WayKind
  readonly text: string
  /** Absent where no single command does it. */
  readonly command?: string
  readonly isRecommended: boolean
}

type WayKind =
  | 'take off'
  | 'retry'
  | 'edit'
  | 'recreate'
  | 'schema'
  | 'webhook'
  | 'policy'
  | 'conversion'
  | 'finalizers'
  | 'namespace'
  | 'grant'
  | 'key'
  | 'release'
  | 'restore'
  | 'delete'

/** A webhook or policy that a message names, and the object that configures it. */
export interface Refuser {
  readonly name: string
  /** For kubectl: `validatingwebhookconfiguration/guard`; absent if it could not be found. */
  readonly configuredBy?: string | undefined
}

/** What is known of an object that was set aside. */
export interface ObjectFacts {
  readonly resource: GroupResource
  readonly namespace?: string | undefined
  readonly name: string
  /** As the migration recorded it, or a later try. */
  readonly reason: string
  readonly message: string
  /** `unseen`: it could not be read, for a reason that says nothing about it. */
  readonly now: 'readable' | 'undecodable' | 'gone' | 'unseen'
  /** Only while it is being deleted: what it waits for. */
  readonly finalizers?: readonly string[]
  readonly isCustom: boolean
  readonly refuser?: Refuser | undefined
  /** The flags by which the store can be read, as they were given; undefined without any. */
  readonly store?: string | undefined
}

function classOfObject({
  reason,
  message,
  now,
}: Pick<ObjectFacts, 'reason' | 'message' | 'now'>): RefusalClass {
  if (now === 'undecodable') return 'undecodable'
  const recorded = refusalClassOf({ reason, message })
  // A key or a version is back: its bytes are not to be deleted.
  return recorded === 'undecodable' && now === 'readable' ? 'other' : recorded
}

/** The ways to mend an object, the recommended one first, with the exact commands. Nothing here loses data unless it says so. */
export function decideWays(facts: ObjectFacts, given: Given): readonly Way[] {
  const { now, finalizers = [] } = facts
  const to = commandsFor(facts, given)
  if (now === 'gone')
    return recommend([
      { kind: 'take off', text: 'it was deleted: nothing is left to mend', command: to.retry },
    ])
  const ways = [
    ...(finalizers.length > 0 ? [finalizersWay(facts, to)] : []),
    ...waysOf[classOfObject(facts)](facts, to),
  ]
  if (now === 'undecodable') return recommend(ways)
  return recommend([...ways, { kind: 'retry', text: 'when that is done, write it again', command: to.retry }])
}

type Draft = Omit<Way, 'isRecommended'>

const recommend = (ways: readonly Draft[]): readonly Way[] =>
  ways.map((way, index) => ({ ...way, isRecommended: index === 0 }))

interface Commands {
  readonly edit: string
  readonly retry: string
  readonly remove: string | undefined
  readonly editCrd: string
  readonly kubectl: (words: string) => string
}

function commandsFor(
  { resource, namespace, name, store }: ObjectFacts,
  { kubectl, strata }: Given,
): Commands {
  const full = groupResourceText(resource)
  const place = namespace === undefined ? '' : ` --namespace ${namespace}`
  const one = `--object ${namespace === undefined ? name : `${namespace}/${name}`}`
  const withCluster = (words: string): string => `kubectl ${words}${kubectl}`
  const repair = `strata repair ${full} ${one}`
  return {
    edit: withCluster(`edit ${full} ${name}${place}`),
    retry: `${repair} --retry${strata}`,
    remove: store === undefined ? undefined : `${repair} --delete-undecodable${store}${strata}`,
    editCrd: withCluster(`edit crd ${full}`),
    kubectl: withCluster,
  }
}

function finalizersWay({ resource, namespace, name, finalizers = [] }: ObjectFacts, to: Commands): Draft {
  const place = namespace === undefined ? '' : ` --namespace ${namespace}`
  const patch = `patch ${groupResourceText(resource)} ${name}${place} --type merge -p '{"metadata":{"finalizers":null}}'`
  const text = `it is being deleted and waits for ${finalizers.join(', ')}: start the controller that removes that; or remove it by hand, and what it would have cleaned up stays`
  return { kind: 'finalizers', text, command: to.kubectl(patch) }
}

const waysOf: Readonly<Record<RefusalClass, (facts: ObjectFacts, to: Commands) => readonly Draft[]>> = {
  schema: ({ isCustom }, to) => [
    {
      kind: 'edit',
      text: 'change the object so that the schema accepts it; the message names the field',
      command: to.edit,
    },
    ...(isCustom
      ? [
          {
            ...{ kind: 'schema' as const, command: to.editCrd },
            text: 'loosen the schema of the CRD until all objects are migrated',
          },
        ]
      : []),
  ],
  'immutable field': ({ isCustom }, to) => [
    ...(isCustom
      ? [
          {
            kind: 'schema' as const,
            text: 'change the rule of the CRD that compares old and new',
            command: to.editCrd,
          },
        ]
      : []),
    {
      kind: 'recreate',
      text: 'save the object, delete it and create it with the wanted value: its uid changes, and dependents go',
    },
  ],
  'denied by admission': ({ refuser }, to) => [
    { kind: 'edit', text: 'change the object so that the policy accepts it', command: to.edit },
    refuserWay(refuser, to, 'exempt it from the policy, or updates that change nothing'),
  ],
  'webhook down': ({ refuser }, to) => [
    refuserWay(
      refuser,
      to,
      'start the webhook; or correct its address and certificate; or remove it if its program is gone',
    ),
  ],
  'terminating namespace': ({ namespace = '' }, to) => [
    {
      ...{
        kind: 'namespace' as const,
        text: 'wait until the namespace is gone; its conditions name what keeps it',
      },
      command: to.kubectl(`get namespace ${namespace} -o yaml`),
    },
  ],
  conversion: (_, to) => conversionWays(to),
  undecodable: undecodableWays,
  forbidden: ({ resource }) => [
    {
      ...{ kind: 'grant' as const, text: 'an administrator grants the right that the message names' },
      command: `strata rbac migrate ${groupResourceText(resource)}`,
    },
  ],
  'too large': (_, to) => [{ kind: 'edit', text: 'make the object smaller', command: to.edit }],
  'no dry run': () => [],
  other: () => [],
}

const conversionWays = ({ editCrd }: Commands): readonly Draft[] => [
  {
    kind: 'conversion',
    text: 'repair the conversion webhook of the CRD, or correct its address',
    command: editCrd,
  },
]

function refuserWay(refuser: Refuser | undefined, to: Commands, text: string): Draft {
  const kind = refuser?.configuredBy?.startsWith('validatingadmissionpolicy') ? 'policy' : 'webhook'
  const configuredBy = refuser?.configuredBy
  const command = to.kubectl(
    configuredBy === undefined
      ? 'get validatingwebhookconfigurations,mutatingwebhookconfigurations'
      : `edit ${configuredBy}`,
  )
  return { kind, text: refuser === undefined ? text : `${text} (${refuser.name})`, command }
}

/** Bytes under a key that is lost may be readable again one day; damaged ones are only good for a look. */
function undecodableWays({ message, store }: ObjectFacts, to: Commands): readonly Draft[] {
  const cause = passingCauseOf(message)
  if (cause !== undefined) return passingWays[cause](to)
  const saved =
    store === undefined
      ? ' (its bytes are saved first, so name the store: --etcd-servers, or --etcd-snapshot)'
      : ', after its bytes are saved to a file'
  const how = `${saved}: finalizers, dependents and webhooks are skipped`
  const command = to.remove === undefined ? {} : { command: to.remove }
  const restore: Draft = {
    kind: 'restore',
    text: `create it again from a backup, or from the program that made it; before that, delete it${how}`,
    ...command,
  }
  const remove: Draft = { kind: 'delete', text: `only delete it${how}`, ...command }
  if (isUnderUnknownKey(message) || (/key/i.test(message) && /encrypt|sealed|decrypt/i.test(message)))
    return [
      {
        kind: 'key',
        text: 'give every server the key that it was written under: add it to --encryption-provider-config, behind the first one',
      },
      restore,
      remove,
    ]
  if (ofAnotherVersion.test(message))
    return [
      {
        ...{ kind: 'release', command: to.editCrd },
        text: 'serve a version again that decodes it (spec.versions of the CRD, or a release that has the kind), and migrate then',
      },
      restore,
      remove,
    ]
  return [restore, remove]
}

/** What may be read again by itself is not to be deleted. */
const passingWays: Readonly<Record<PassingCause, (to: Commands) => readonly Draft[]>> = {
  'conversion webhook': conversionWays,
  'key provider': () => [
    {
      kind: 'key',
      text: 'start the KMS plugin beside every server: the object may be whole, and nothing is lost yet',
    },
  ],
  connection: () => [
    { kind: 'key', text: 'start what the message names: the object may be whole, and nothing is lost yet' },
  ],
}

/** The bytes are whole; no server has the version that they are in. */
const ofAnotherVersion =
  /no kind .* is registered|convert CR from an invalid group\/version|no server can decode|cannot decode .*\/v\d/i
