import { type CustomResourceDefinition, storageVersionNameOf, versionsOf } from '@strata/api'

/** The versions whose ownership of fields goes. */
export type DeadVersions =
  | { readonly kind: 'dead'; isDead(version: string): boolean }
  | { readonly kind: 'refused'; readonly because: string; readonly isStored: boolean }

/**
 * A version is dead if its CRD does not have it. So is one that the CRD still has, that is neither served nor the storage version
 * nor in status.storedVersions: no client can apply in it, and it will be removed next. With `named`, only these are cleaned, and
 * each of them has to be dead.
 */
export function decideDeadVersions(
  definition: CustomResourceDefinition,
  named: readonly string[] = [],
): DeadVersions {
  for (const version of named) {
    const life = lifeOf(definition, version)
    if (life !== undefined)
      return { kind: 'refused', because: `${version} ${life.why}`, isStored: life.isStored }
  }
  const isNamed = (version: string): boolean => named.length === 0 || named.includes(version)
  return {
    kind: 'dead',
    isDead: (version) => isNamed(version) && lifeOf(definition, version) === undefined,
  }
}

/** What a version is still needed for. */
function lifeOf(
  definition: CustomResourceDefinition,
  version: string,
): { readonly why: string; readonly isStored: boolean } | undefined {
  const found = versionsOf(definition).find(({ name }) => name === version)
  if (found === undefined) return undefined
  if (found.served) return { why: 'is still served: managers still apply in it', isStored: false }
  if (storageVersionNameOf(definition) === version) return { why: 'is the storage version', isStored: false }
  const isStored = (definition.status.storedVersions ?? []).includes(version)
  return isStored ? { why: 'is in status.storedVersions: objects may be stored in it', isStored } : undefined
}
