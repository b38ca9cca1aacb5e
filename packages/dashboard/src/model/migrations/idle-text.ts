import { counted, type TriggerStatus } from '@strata/insight'

export interface IdleFacts {
  readonly trigger: TriggerStatus | undefined
  readonly isAgreed: boolean
  /** How many cards of open migrations are shown. */
  readonly shown: number
  /** The kinds that this user may not read. */
  readonly refused: readonly string[]
}

/** Is there nothing to do, is there no one to do it, or can it not be seen? Undefined: the cards say it all. */
export function idleText({ trigger, isAgreed, shown, refused }: IdleFacts): string | undefined {
  if (refused.length > 0)
    return `Not all can be seen: the right to list and watch ${refused.join(' and ')} is missing. "strata rbac dashboard" prints it.`
  if (shown > 0) return undefined
  const { unclean, underWay, controllersAtWork } = trigger ?? {}
  if (unclean === undefined || underWay === undefined) return 'Migrations are not seen yet.'
  if (underWay.length > 0)
    return `${counted(underWay.length, 'migration')} ${underWay.length === 1 ? 'is' : 'are'} under way, of resources that the filter hides.`
  if (unclean.length > 0) return `No migration is under way. ${waitingText(unclean, controllersAtWork)}`
  return isAgreed
    ? 'No migration is under way, and none is needed.'
    : 'No migration is under way. Whether one is needed is known when the servers agree.'
}

function waitingText(unclean: readonly string[], controllersAtWork: boolean | undefined): string {
  const what = unclean.length === 1 ? unclean[0] : counted(unclean.length, 'resource')
  return `Objects of ${what} may still be in an old version or key. ${
    controllersAtWork === false
      ? 'No controllers are running: start them with "strata controllers".'
      : 'The controllers begin once the servers have agreed for a while.'
  }`
}
