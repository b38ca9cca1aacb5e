import type { DefinitionFacts } from '../stored/definition-facts.ts'

/**
 * Why objects may have been written after a snapshot in other versions than those that are written now; undefined if not. The same
 * generation of the CRD then and now shows that its storage version was not changed in between. No API shows that of a built-in
 * kind: a server of an older release may have written after the snapshot, and be gone.
 */
export function whyMayHaveChanged(
  then: DefinitionFacts | undefined,
  now: DefinitionFacts | undefined,
): string | undefined {
  if (!now) return 'no API shows since when all servers write as they do now'
  if (!then) return 'the snapshot does not show its CRD as it was then'
  const isKnown = then.uid !== undefined && then.generation !== undefined
  if (!isKnown || then.uid !== now.uid || then.generation !== now.generation)
    return 'its CRD was changed since, or may have been'
  const cut = then.storedVersions.filter((each) => !now.storedVersions.includes(each))
  return cut.length === 0 ? undefined : `status.storedVersions of its CRD lost ${cut.join(', ')} since`
}
