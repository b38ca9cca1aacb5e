import type { CustomResourceDefinition } from '@strata/api'
import type { LoadedKind } from '../support/loaded-kind.ts'
import type { History } from '../support/raw-history.ts'

/**
 * Every instance, held against the definition that stood when it was stored: in its storage version, which is among those
 * that it remembers to have stored (agreement.md, rule 4).
 */
export function judgeDefinitions({ changes }: History, { group, plural }: LoadedKind): string[] {
  const prefix = `/registry/${group}/${plural}/`
  const definitionKey = `/registry/apiextensions.k8s.io/customresourcedefinitions/${plural}.${group}`
  const problems: string[] = []
  let definition: CustomResourceDefinition | undefined
  for (const change of changes) {
    const { key, revision } = change
    if (key === definitionKey) definition = change.kind === 'put' ? parse(change.value) : undefined
    if (!key.startsWith(prefix) || change.kind !== 'put') continue
    const { apiVersion } = parse<{ apiVersion: string }>(change.value)
    const versionName = apiVersion.slice(group.length + 1)
    const wanted = definition?.spec.versions?.find(({ storage }) => storage)?.name
    if (versionName !== wanted) problems.push(`${key} at ${revision} is in ${versionName}, not in ${wanted}`)
    if (!definition?.status.storedVersions?.includes(versionName)) {
      problems.push(`${key} at ${revision} is in ${versionName}, which storedVersions does not name`)
    }
  }
  return problems
}

const parse = <T>(value: Uint8Array): T => JSON.parse(Buffer.from(value).toString()) as T
