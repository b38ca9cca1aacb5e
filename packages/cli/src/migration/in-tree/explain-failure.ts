import { counted } from '@strata/insight'
import { countOf, type PlannedResource } from '../plan/planned-resource.ts'

/** Why upstream's migrator failed, and what to do. */
export interface FailureText {
  readonly why: string
  readonly fix: string
}

interface Known {
  readonly message: RegExp
  readonly why: string
  readonly fix: string
}

/** Failures that are about the migrator and not about an object. The patterns are upstream's texts, in 1.36 and 1.37. */
const known: readonly Known[] = [
  {
    message: /does not exist in GC/,
    why: 'the garbage collector of kube-controller-manager had not read this resource yet, as after its restart',
    fix: 'wait until kube-controller-manager has read everything, and run this again',
  },
  {
    message: /does not exist in discovery|unable to obtain GVR from discovery/,
    why: 'kube-controller-manager did not find the resource in discovery',
    fix: 'check that its CRD is established and every APIService is available, and run this again',
  },
  {
    message: /does not support discovery operations/,
    why: 'the resource cannot be listed, patched and updated',
    fix: 'upstream cannot migrate it',
  },
  {
    message: /resource ?versions?.*(?:not valid|comparing)|comparing resource versions/i,
    why: 'its resourceVersions are not numbers that can be compared, as behind some aggregated servers',
    fix: 'omit --in-tree',
  },
]

/**
 * Upstream's message is the error of one request and names an object only where the server's text does. `now` is a dry run of
 * every write after the failure, which does.
 */
export function explainFailure(
  message: string,
  now: Pick<PlannedResource, 'exit' | 'refused' | 'because'> | undefined,
): FailureText {
  const said = message.replace(/^.*?migration encountered unhandled error: /, '')
  const refused = now === undefined ? 0 : countOf(now.refused)
  if (refused > 0) {
    const others = 'upstream stops at the first of them, and leaves the objects after it as they are'
    return {
      why: `${counted(refused, 'object')} cannot be rewritten (${others}): ${said}`,
      fix: 'fix or delete these objects, and run this again; without --in-tree all others are migrated meanwhile',
    }
  }
  const match = known.find((each) => each.message.test(said))
  if (match) return { why: `${match.why}: ${said}`, fix: match.fix }
  if (now?.exit !== 'rehearsed') {
    const because = now === undefined ? 'the objects could not be asked' : now.because
    return { why: `${said}; which object it was is not known: ${because}`, fix: 'run strata plan' }
  }
  return {
    why: `${said}. A dry run of every write by this user is not refused now: either that has passed, or it concerns only the user of kube-controller-manager (its rights, or a policy about it)`,
    fix: 'read the message, and run this again; without --in-tree the writes are those of this user',
  }
}
