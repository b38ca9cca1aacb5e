import { type GroupResource, parseResourcePattern } from '@strata/api'
import type { Log } from '@strata/world'
import type { EncryptionConfiguration } from './configuration.ts'

/** Names in a configuration that match none of these resources, each once. */
export function unmatchedNames(
  { rules }: EncryptionConfiguration,
  known: readonly GroupResource[],
): readonly string[] {
  const names = new Set(rules.flatMap(({ resources }) => resources))
  return [...names].filter((name) => {
    const { group, resource } = parseResourcePattern(name)
    const isMatch = (each: GroupResource): boolean =>
      (group === '*' || each.group === group) && (resource === '*' || each.resource === resource)
    return !known.some(isMatch)
  })
}

/**
 * A mistyped `secretz` leaves secrets in clear text. It cannot be refused: CRDs come and go while servers run, and the names of
 * their resources must be in the file before the first object is written.
 */
export function warnAboutNames(
  configuration: EncryptionConfiguration,
  known: readonly GroupResource[],
  { file, log }: { readonly file: string; readonly log: Log },
): void {
  for (const name of unmatchedNames(configuration, known)) {
    // The group of a custom resource contains a dot.
    const mayCome = parseResourcePattern(name).group.includes('.')
    log.warn(
      mayCome
        ? 'the encryption configuration names a resource that is not built in: it encrypts nothing unless a custom resource has that name, now or later; check the spelling'
        : 'the encryption configuration names a resource that does not exist and cannot be a custom resource: it encrypts nothing; if the name is mistyped, the intended resource is stored in clear text',
      { name, file },
    )
  }
}

/** Appended to the refusal of a file. If `secrets` was mistyped, its keys seem to be dropped, and migrating would not help. */
export function askAboutNames(
  configuration: EncryptionConfiguration,
  known: readonly GroupResource[],
): string {
  const names = unmatchedNames(configuration, known)
  if (names.length === 0) return ''
  const what = names.length === 1 ? 'is no resource' : 'are no resources'
  return `. ${names.join(', ')} ${what} known here: if mistyped, correct the file instead`
}
