import { admissionregistrationV1 } from './tables/admissionregistration-v1.ts'
import { apiextensionsV1 } from './tables/apiextensions-v1.ts'
import { apiregistrationV1 } from './tables/apiregistration-v1.ts'
import { apiserverInternalV1Alpha1 } from './tables/apiserver-internal-v1alpha1.ts'
import { appsV1 } from './tables/apps-v1.ts'
import { authenticationV1 } from './tables/authentication-v1.ts'
import { authorizationV1 } from './tables/authorization-v1.ts'
import { autoscalingV1 } from './tables/autoscaling-v1.ts'
import { autoscalingV2 } from './tables/autoscaling-v2.ts'
import { batchV1 } from './tables/batch-v1.ts'
import { coordinationV1 } from './tables/coordination-v1.ts'
import { coreV1 } from './tables/core-v1.ts'
import { coreV1Pods } from './tables/core-v1-pods.ts'
import { eventsV1 } from './tables/events-v1.ts'
import { metaV1 } from './tables/meta-v1.ts'
import { networkingV1 } from './tables/networking-v1.ts'
import { policyV1 } from './tables/policy-v1.ts'
import { rbacV1 } from './tables/rbac-v1.ts'
import { schedulingV1 } from './tables/scheduling-v1.ts'
import { storageMigration } from './tables/storage-migration.ts'

/**
 * The protobuf messages. A table is a text, a message a line of it (indented lines continue it):
 *
 *     ConfigMap: 1 metadata meta.ObjectMeta, 2 data {string}, 4 immutable bool?
 *
 * Each field is its number, its name in JSON and its type: `[t]` is a list, `{t}` a map with texts as keys. The name `^`
 * means that the fields of this message stand in JSON among those of the enclosing message. Encoders of upstream write
 * every field that is not a pointer, also when it is zero. So a zero is left out of the JSON, except after `?` (a pointer
 * upstream: a zero was meant) and `!` (JSON has it too). A message with `|` is in JSON the value of the first of its
 * fields that is set.
 *
 * Tables are parsed message by message, on first use.
 */
const tables = {
  meta: ['meta.k8s.io/v1', metaV1],
  core: ['v1', coreV1 + coreV1Pods],
  admissionregistration: ['admissionregistration.k8s.io/v1', admissionregistrationV1],
  apiextensions: ['apiextensions.k8s.io/v1', apiextensionsV1],
  apiregistration: ['apiregistration.k8s.io/v1', apiregistrationV1],
  apiserverinternal: ['internal.apiserver.k8s.io/v1alpha1', apiserverInternalV1Alpha1],
  apps: ['apps/v1', appsV1],
  authentication: ['authentication.k8s.io/v1', authenticationV1],
  authorization: ['authorization.k8s.io/v1', authorizationV1],
  autoscaling: ['autoscaling/v1', autoscalingV1],
  autoscalingV2: ['autoscaling/v2', autoscalingV2],
  batch: ['batch/v1', batchV1],
  coordination: ['coordination.k8s.io/v1', coordinationV1],
  events: ['events.k8s.io/v1', eventsV1],
  networking: ['networking.k8s.io/v1', networkingV1],
  policy: ['policy/v1', policyV1],
  rbac: ['rbac.authorization.k8s.io/v1', rbacV1],
  scheduling: ['scheduling.k8s.io/v1', schedulingV1],
  storagemigration: ['storagemigration.k8s.io/v1beta1', storageMigration],
  storagemigrationV1: ['storagemigration.k8s.io/v1', storageMigration],
} as const

const scalars = [
  'string',
  'bool',
  'int32',
  'int64',
  'double',
  'bytes',
  // Messages that JSON has as something simpler.
  'time',
  'microTime',
  'quantity',
  'intOrString',
  'json',
  'fieldsV1',
] as const

export type Scalar = (typeof scalars)[number]

export interface Field {
  readonly name: string
  readonly shape: 'one' | 'list' | 'map' | 'inline'
  readonly type: Scalar | (() => Message)
  /** Whether a zero says something. */
  readonly keepsZero: boolean
}

export interface Message {
  readonly name: string
  readonly fields: ReadonlyMap<number, Field>
  /** Whether JSON has, instead of the message, the first of its fields that is there. */
  readonly isUnion: boolean
}

const read = new Map<string, Message>()

/** By alias of the table and name: `core.ConfigMap`. */
function messageNamed(alias: string, name: string): Message | undefined {
  const key = `${alias}.${name}`
  const known = read.get(key)
  if (known) return known
  const text = tables[alias as keyof typeof tables]?.[1] ?? ''
  const line = new RegExp(`^${name}( \\|)?:(.*(?:\\n .*)*)`, 'm').exec(text)
  if (!line) return undefined
  const fields = (line[2] ?? '').split(',').filter((each) => each.trim() !== '')
  const message: Message = {
    name,
    isUnion: line[1] !== undefined,
    fields: new Map(fields.map((each) => parseField(alias, each))),
  }
  read.set(key, message)
  return message
}

function parseField(alias: string, text: string): [number, Field] {
  const [, number, name = '', open, typeName = '', mark] =
    /^\s*(\d+) (\S+) ([[{]?)([\w.]+)[\]}]?([?!]?)$/.exec(text) ?? []
  if (number === undefined) throw new TypeError(`not a field of a message: ${text}`)
  const shape = name === '^' ? 'inline' : open === '[' ? 'list' : open === '{' ? 'map' : 'one'
  // Looked up when it is first met: messages may contain themselves.
  let message: Message | undefined
  const resolved = (): Message => {
    message ??= resolve(alias, typeName)
    return message
  }
  const type = scalars.find((each) => each === typeName) ?? resolved
  return [Number(number), { name, shape, type, keepsZero: mark !== '' }]
}

function resolve(alias: string, typeName: string): Message {
  const [first = '', second] = typeName.split('.')
  const message = second === undefined ? messageNamed(alias, first) : messageNamed(first, second)
  if (!message) throw new TypeError(`no table has the message ${typeName}`)
  return message
}

const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries(tables).map(([alias, [apiVersion]]) => [apiVersion, alias]),
)

/** Clients name them after whatever group they speak to. */
const optionKinds = ['DeleteOptions', 'CreateOptions', 'UpdateOptions', 'PatchOptions']
/** What JSON and protobuf both call `v1`, without a group. */
const statusKinds = ['Status', 'APIGroup', 'APIResourceList']

/** The message of a kind, or undefined where it has none: custom resources, and kinds that no table knows. */
export function protobufMessage(apiVersion: string, kind: string): Message | undefined {
  // Kinds are names in a pattern below; whatever else is sent is no kind.
  if (!/^\w+$/.test(kind)) return undefined
  if (optionKinds.includes(kind) || statusKinds.includes(kind)) return messageNamed('meta', kind)
  const alias = aliases.get(apiVersion)
  const message = alias === undefined ? undefined : messageNamed(alias, kind)
  return message && isKind(message) ? message : undefined
}

/** Parts of kinds are messages too. Kinds have metadata, and nothing else has it in the first place. */
function isKind({ fields }: Message): boolean {
  return fields.get(1)?.name === 'metadata'
}

/** Every message of every table, for the test that each can be read. */
export function everyMessage(): readonly Message[] {
  return Object.entries(tables).flatMap(([alias, [, text]]) =>
    [...text.matchAll(/^(\w+)(?: \|)?:/gm)].map(([, name = '']) => resolve(alias, name)),
  )
}
