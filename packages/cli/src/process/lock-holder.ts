import type { Processes, ProcessMark } from '@strata/world'

export interface LockHolder extends ProcessMark {
  readonly hostname: string
}

/**
 * The holder of a lock, from the file beside it. Empty if that process is gone: a killed holder leaves its file behind, and the
 * current holder may not have written its own yet.
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

/** Without the pid namespace: another container on the machine has another namespace of the same boot. */
const machineBoot = (bootId: string): string => bootId.split('/')[0] ?? ''
