import type { Processes, ProcessMark } from '@strata/world'

export interface LockHolder extends ProcessMark {
  readonly hostname: string
}

/**
 * Who holds a lock, as it was written down beside it. One that was killed has not taken its words back, and whoever holds
 * the lock now may not have written its own yet: of a process that is gone, nobody is told to stop it.
 */
export function livingHolder(text: string | undefined, processes: Processes): Partial<LockHolder> {
  const holder = parse(text)
  const { bootId = '', pid = 0, startTicks = '', hostname } = holder
  if (processes.isGone({ bootId, pid, startTicks })) return {}
  const [theirs, ours] = [machineBoot(bootId), machineBoot(processes.self.bootId)]
  const isOfAnotherBoot = hostname === processes.hostname && theirs !== '' && ours !== '' && theirs !== ours
  return isOfAnotherBoot ? {} : holder
}

function parse(text: string | undefined): Partial<LockHolder> {
  try {
    const holder: unknown = JSON.parse(text ?? '')
    return typeof holder === 'object' && holder !== null ? holder : {}
  } catch {
    return {}
  }
}

/** Behind it stands the pid namespace: a container next door is another namespace of the same boot. */
const machineBoot = (bootId: string): string => bootId.split('/')[0] ?? ''
