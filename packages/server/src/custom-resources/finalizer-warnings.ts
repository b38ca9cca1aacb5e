import { type ApiObject, qualifiedName } from '@strata/api'

const standard = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])
const why = 'to avoid accidental conflicts with other finalizer writers'

/** Upstream allows any finalizer name on a custom resource, and warns about new ones that are not `domain/path`. */
export function finalizerWarnings({ metadata }: ApiObject, stored: ApiObject | undefined): readonly string[] {
  const before = stored?.metadata.finalizers ?? []
  return (metadata.finalizers ?? [])
    .filter((name) => !before.includes(name))
    .flatMap((name) =>
      warningsAbout(name).map((text) => `metadata.finalizers: ${JSON.stringify(name)}: ${text}`),
    )
}

function warningsAbout(name: string): string[] {
  const problems = [...qualifiedName(name)]
  if (name.includes('/') || standard.has(name)) return problems
  const better = name.includes('.')
    ? 'prefer a domain-qualified finalizer name including a path (/)'
    : 'prefer a domain-qualified finalizer name'
  return [...problems, `${better} ${why}`]
}
