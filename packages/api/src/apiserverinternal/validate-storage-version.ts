import { duplicate, type FieldError, invalid, required } from '../machinery/field-error.ts'
import { dns1035Label, dns1123Subdomain, type NameRule, qualifiedName } from '../machinery/name-rules.ts'
import { commonEncodingVersion } from './common-encoding-version.ts'
import type {
  ServerStorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from './storage-version-types.ts'

// Upstream's rules, in upstream's order and words (docs/reference/upstream-behaviour.md, N1 to N6).

/** `<group>.<resource>`: groups have dots and resources have none, so the last one parts them. */
export const storageVersionName: NameRule = (name) => {
  const dot = name.lastIndexOf('.')
  if (dot < 0) return ['name must be in the form of <group>.<resource>']
  return [
    ...dns1123Subdomain(name.slice(0, dot)).map((each) => `the group segment ${each}`),
    ...dns1035Label(name.slice(dot + 1)).map((each) => `the resource segment ${each}`),
  ]
}

/**
 * Validates the entries and the common version. The common version must follow from the entries, for every writer:
 * no client can store a summary that its own entries contradict.
 */
export function validateStorageVersionStatus(status: StorageVersionStatus): FieldError[] {
  const { storageVersions = [], conditions = [] } = status
  const ids = new Set<string>()
  return [
    ...storageVersions.flatMap((server, index) => {
      const path = `status.storageVersions[${index}]`
      const { apiServerID = '' } = server
      const repeated = ids.has(apiServerID)
      ids.add(apiServerID)
      return [
        ...(repeated ? [duplicate(`${path}.apiServerID`, apiServerID)] : []),
        ...serverProblems(server, path),
      ]
    }),
    ...commonProblems(status, storageVersions),
    ...conditions.flatMap((condition, index) => conditionProblems(condition, index, conditions)),
  ]
}

function serverProblems(server: Partial<ServerStorageVersion>, path: string): FieldError[] {
  const { apiServerID = '', encodingVersion = '', decodableVersions, servedVersions = [] } = server
  const decodable = decodableVersions ?? []
  const isDecoded = decodable.includes(encodingVersion)
  return [
    ...dns1123Subdomain(apiServerID).map((each) => invalid(`${path}.apiServerID`, apiServerID, each)),
    ...apiVersionProblems(encodingVersion, `${path}.encodingVersion`),
    ...decodable.flatMap((each, index) => apiVersionProblems(each, `${path}.decodableVersions[${index}]`)),
    ...(isDecoded
      ? []
      : [
          invalid(
            `${path}.decodableVersions`,
            // Go's nil slice.
            decodableVersions ?? null,
            `decodableVersions must include encodingVersion ${encodingVersion}`,
          ),
        ]),
    ...servedVersions.flatMap((each, index) =>
      servedProblems(each, decodable, `${path}.servedVersions[${index}]`),
    ),
  ]
}

function servedProblems(served: string, decodable: readonly string[], path: string): FieldError[] {
  const problems = apiVersionProblems(served, path)
  if (decodable.includes(served)) return problems
  const list = `[${decodable.join(' ')}]`
  const detail = `individual served version : ${served} must be included in decodableVersions : ${list}`
  return [...problems, invalid(path, served, detail)]
}

/** All that is wrong with one version is one error. */
function apiVersionProblems(apiVersion: string, path: string): FieldError[] {
  const problems = apiVersionRule(apiVersion)
  return problems.length === 0 ? [] : [invalid(path, apiVersion, problems.join(','))]
}

const emptyPart: NameRule = (part) => (part === '' ? ['must be non-empty'] : [])

const apiVersionRule: NameRule = (apiVersion) => {
  const parts = apiVersion.split('/')
  if (parts.length > 2) {
    return [
      "an apiVersion is a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')",
    ]
  }
  const versionName = parts.at(-1) ?? ''
  const group = parts.length === 2 ? parts[0] : undefined
  const problemsOf = (part: string, rule: NameRule, words: string): string[] =>
    (part === '' ? emptyPart : rule)(part).map((each) => `${words} part: ${each}`)
  return [
    ...(group === undefined ? [] : problemsOf(group, dns1123Subdomain, 'group')),
    ...problemsOf(versionName, dns1035Label, 'version'),
  ]
}

function commonProblems(
  { commonEncodingVersion: said }: StorageVersionStatus,
  servers: readonly ServerStorageVersion[],
): FieldError[] {
  const path = 'status.commonEncodingVersion'
  const actual = commonEncodingVersion(servers)
  if (actual === said) return []
  if (actual === undefined) {
    const why =
      'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet'
    return [invalid(path, said, why)]
  }
  if (said === undefined) return [invalid(path, null, `the common encoding version is ${actual}`)]
  return [invalid(path, said, `the actual common encoding version is ${actual}`)]
}

/** Upstream's paths leave out `conditions`; scripts that match them do too. */
function conditionProblems(
  condition: Partial<StorageVersionCondition>,
  index: number,
  conditions: readonly StorageVersionCondition[],
): FieldError[] {
  const path = `status[${index}]`
  const { type = '', status = '', reason = '', message = '' } = condition
  const same = conditions.slice(0, index).findLastIndex((each) => (each.type ?? '') === type)
  return [
    ...(same < 0
      ? []
      : [
          invalid(
            `${path}.type`,
            type,
            `the type of the condition is not unique, it also appears in conditions[${same}]`,
          ),
        ]),
    ...qualifiedName(type).map((each) => invalid(`${path}.type`, type, each)),
    ...qualifiedName(status).map((each) => invalid(`${path}.status`, status, each)),
    ...(reason === '' ? [required(`${path}.reason`)] : []),
    ...(message === '' ? [required(`${path}.message`)] : []),
  ]
}
