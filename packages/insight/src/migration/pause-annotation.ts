import { pausedAnnotation } from './migration-view.ts'

/** The annotation begins with this if no user asked for the pause: the process could not continue. */
const failed = 'failed: '
const maxCharacters = 500

/** The annotation that pauses a migration. It holds the failure too, so that both go when a user removes it. */
export function pausing(failure: string | undefined): Readonly<Record<string, string>> {
  return {
    [pausedAnnotation]: failure === undefined ? 'true' : `${failed}${failure}`.slice(0, maxCharacters),
  }
}

/** Why the process that ran the migration could not continue; undefined if a user paused it. */
export function failureOf(annotations: Readonly<Record<string, string>>): string | undefined {
  const value = annotations[pausedAnnotation]
  return value?.startsWith(failed) ? value.slice(failed.length) : undefined
}

/** The kubectl command that resumes a paused migration. */
export const resumeCommand = (where: string): string => `kubectl annotate ${where} ${pausedAnnotation}-`
