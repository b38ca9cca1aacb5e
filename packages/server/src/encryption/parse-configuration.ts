import { type GroupResource, parseResourcePattern } from '@strata/api'
import { checkResources, type IsPlain, patternText } from './check-resources.ts'
import type {
  EncryptionConfiguration,
  EncryptionRule,
  KeyConfiguration,
  KeyedProvider,
  ProviderConfiguration,
} from './configuration.ts'
import { FieldProblems } from './field-problems.ts'

const apiVersion = 'apiserver.config.k8s.io/v1'
const kind = 'EncryptionConfiguration'
const providerNames = ['aescbc', 'aesgcm', 'secretbox', 'kms', 'identity'] as const
const defaultTimeoutMs = 3_000

export type ParsedConfiguration =
  | { readonly configuration: EncryptionConfiguration }
  | { readonly problems: readonly string[] }

/**
 * Validates the content of a YAML or JSON file by kube-apiserver's rules: a file that it accepts is accepted here, except for KMS
 * v1 and for kinds that must not be encrypted.
 */
export function parseConfiguration(value: unknown, isPlain: IsPlain): ParsedConfiguration {
  const problems = new FieldProblems()
  const top = problems.object('', value, ['apiVersion', 'kind', 'resources'])
  if (!top) return { problems: problems.found }
  if (top.apiVersion !== apiVersion) problems.add('apiVersion', `must be ${apiVersion}`)
  if (top.kind !== kind) problems.add('kind', `must be ${kind}`)
  const kmsNames = new Set<string>()
  const rules = problems
    .list('resources', top.resources, 'rules')
    .map((each, index) => parseRule(`resources[${index}]`, each, { kmsNames, isPlain, problems }))
  checkMasking(rules, problems)
  return problems.found.length > 0 ? { problems: problems.found } : { configuration: { rules } }
}

interface Parsing {
  readonly kmsNames: Set<string>
  readonly isPlain: IsPlain
  readonly problems: FieldProblems
}

function parseRule(path: string, value: unknown, parsing: Parsing): EncryptionRule {
  const { problems, isPlain } = parsing
  const rule = problems.object(path, value, ['resources', 'providers'])
  if (!rule) return { resources: [], providers: [] }
  const listed = problems.list(`${path}.resources`, rule.resources, 'resources')
  const resources = listed.filter((each): each is string => typeof each === 'string')
  if (resources.length < listed.length) problems.add(`${path}.resources`, 'must be a list of names')
  checkResources(`${path}.resources`, resources, isPlain, problems)
  const providers = problems
    .list(`${path}.providers`, rule.providers, 'providers')
    .flatMap((each, index) => parseProvider(`${path}.providers[${index}]`, each, parsing) ?? [])
  return { resources, providers }
}

function parseProvider(path: string, value: unknown, parsing: Parsing): ProviderConfiguration | undefined {
  const { problems } = parsing
  const provider = problems.object(path, value, providerNames)
  if (!provider) return undefined
  const named = providerNames.filter((name) => provider[name] !== undefined && provider[name] !== null)
  const [name, second] = named
  if (name === undefined) {
    // `identity:` without braces is null in YAML, and would have no effect.
    const isBare = Object.hasOwn(provider, 'identity')
    problems.add(path, isBare ? 'write identity: {}' : `must be one of ${providerNames.join(', ')}`)
    return undefined
  }
  if (second !== undefined) {
    problems.add(path, `names ${named.join(' and ')}; give each an item of the list of its own`)
    return undefined
  }
  const at = `${path}.${name}`
  switch (name) {
    case 'identity':
      problems.object(at, provider.identity, [])
      return { kind: 'identity' }
    case 'kms':
      return parseKms(at, provider.kms, parsing)
    default:
      return parseKeyed(name, at, provider[name], problems)
  }
}

const lengths: Readonly<Record<KeyedProvider, readonly number[]>> = {
  aescbc: [16, 24, 32],
  aesgcm: [16, 24, 32],
  secretbox: [32],
}

function parseKeyed(
  kind: KeyedProvider,
  path: string,
  value: unknown,
  problems: FieldProblems,
): ProviderConfiguration | undefined {
  const provider = problems.object(path, value, ['keys'])
  if (!provider) return undefined
  const keys = problems
    .list(`${path}.keys`, provider.keys, 'keys')
    .flatMap((each, index) => parseKey(`${path}.keys[${index}]`, each, lengths[kind], problems) ?? [])
  return { kind, keys }
}

/** Messages never contain a secret: they are logged. */
function parseKey(
  path: string,
  value: unknown,
  allowed: readonly number[],
  problems: FieldProblems,
): KeyConfiguration | undefined {
  const key = problems.object(path, value, ['name', 'secret'])
  if (!key) return undefined
  const name = problems.text(`${path}.name`, key.name, 'what the key is called')
  const text = problems.text(`${path}.secret`, key.secret, 'the key itself, in base64')
  if (name === undefined || text === undefined) return undefined
  const secret = Buffer.from(text, 'base64')
  const stripped = text.replaceAll(/[\r\n]/g, '')
  if (secret.toString('base64') !== stripped) {
    problems.add(`${path}.secret`, 'is not base64; make one with: head -c 32 /dev/urandom | base64')
    return undefined
  }
  if (!allowed.includes(secret.length)) {
    const want = allowed.length === 1 ? String(allowed[0]) : `one of ${allowed.join(', ')}`
    problems.add(
      `${path}.secret`,
      `has ${secret.length} bytes, and must have ${want}; make one with: head -c 32 /dev/urandom | base64`,
    )
    return undefined
  }
  return { name, secret }
}

function parseKms(
  path: string,
  value: unknown,
  { problems, kmsNames }: Parsing,
): ProviderConfiguration | undefined {
  const kms = problems.object(path, value, ['apiVersion', 'name', 'cachesize', 'endpoint', 'timeout'])
  if (!kms) return undefined
  if (kms.apiVersion !== 'v2') {
    const advice = 'KMS v1 is not spoken here (kube-apiserver has switched it off too); write apiVersion: v2'
    problems.add(`${path}.apiVersion`, advice)
  }
  if (kms.cachesize !== undefined && kms.cachesize !== null) {
    problems.add(`${path}.cachesize`, 'belongs to KMS v1; take it out')
  }
  const name = problems.text(`${path}.name`, kms.name, 'what the provider is called')
  if (name?.includes(':')) problems.add(`${path}.name`, `${JSON.stringify(name)} must have no colon in it`)
  if (name !== undefined && kmsNames.has(name)) {
    problems.add(
      `${path}.name`,
      `${JSON.stringify(name)} is the name of another KMS provider; choose another`,
    )
  }
  if (name !== undefined) kmsNames.add(name)
  const endpoint = problems.text(`${path}.endpoint`, kms.endpoint, 'where the plugin listens, unix:///…')
  const socket = endpoint === undefined ? undefined : socketOf(endpoint)
  if (endpoint !== undefined && socket === undefined) {
    problems.add(`${path}.endpoint`, `${JSON.stringify(endpoint)} is no socket; write unix:///PATH`)
  }
  const timeoutMs =
    kms.timeout === undefined || kms.timeout === null ? defaultTimeoutMs : durationMs(kms.timeout)
  if (timeoutMs === undefined || timeoutMs <= 0) {
    problems.add(`${path}.timeout`, 'must be a duration above nothing, such as 3s')
  }
  if (name === undefined || socket === undefined || timeoutMs === undefined) return undefined
  return { kind: 'kms', name, socket, timeoutMs }
}

/** `unix:///path` and, as in kube-apiserver, `unix:///@name` for an abstract socket. */
function socketOf(endpoint: string): string | undefined {
  const match = /^unix:\/\/(\/.+)$/.exec(endpoint)
  const path = match?.[1]
  return path?.startsWith('/@') ? `\0${path.slice(2)}` : path
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

function durationMs(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(value)) return undefined
  let sum = 0
  for (const [, count = '', unit = ''] of value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    sum += Number(count) * (unitMs[unit] ?? 0)
  }
  return sum
}

/** As in kube-apiserver: a rule may not follow a wildcard that covers it. */
function checkMasking(rules: readonly EncryptionRule[], problems: FieldProblems): void {
  const wildcards: GroupResource[] = []
  for (const [index, { resources }] of rules.entries()) {
    const parsed = resources.map(parseResourcePattern)
    for (const [at, each] of parsed.entries()) {
      const mask = wildcards.find(({ group }) => group === '*' || group === each.group)
      if (!mask) continue
      problems.add(
        `resources[${index}].resources[${at}]`,
        `${JSON.stringify(patternText(each))} is covered by '${patternText(mask)}' of an earlier rule; put the wildcard last`,
      )
    }
    wildcards.push(...parsed.filter(({ resource }) => resource === '*'))
  }
}
