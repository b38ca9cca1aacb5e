import { pausedAnnotation } from './migration-view.ts'

/** Stands before the reason where nobody asked for a pause: whoever had the migration could not go on with it. */
const failed = 'failed: '
const mostCharacters = 500

/** What pauses a migration. Whoever removes the pause removes the reason with it, so that it is never an old one. */
export function pausing(failure: string | undefined): Readonly<Record<string, string>> {
  return {
    [pausedAnnotation]: failure === undefined ? 'true' : `${failed}${failure}`.slice(0, mostCharacters),
  }
}

/** Why it could not be gone on with; undefined of one that somebody wants to wait. */
export function failureOf(annotations: Readonly<Record<string, string>> | undefined): string | undefined {
  const words = annotations?.[pausedAnnotation]
  return words?.startsWith(failed) ? words.slice(failed.length) : undefined
}
