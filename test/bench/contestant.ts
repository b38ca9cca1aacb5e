import type { WorkloadName } from './workloads.ts'

/** Someone who can do the work, so that several can be measured side by side. */
export interface Contestant {
  readonly name: string
  /** Does it once; what cannot be measured on this contestant is a sentence that says why. */
  readonly work: Readonly<Record<WorkloadName, Work | string>>
  /** Processor time that its server has used so far; not given where only its answers can be seen. */
  readonly processorMs?: () => number
  /** Takes away what it has left on a server that goes on living. */
  close(): Promise<void>
}

/** `index` counts up from 0 within a round. */
export type Work = (index: number) => Promise<unknown>

/** Does `count` pieces of work with a bounded number at a time. */
export async function inParallel(
  { count, atOnce }: { readonly count: number; readonly atOnce: number },
  work: Work,
): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(count, atOnce) }, worker))
}
