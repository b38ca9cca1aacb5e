import type { History } from './history.ts'

/** Runs, and counts every uncaught error as a bug. */
export async function noticeRejections<T>(
  { history, simulation }: { readonly history: History; readonly simulation: { readonly nowMs: number } },
  run: () => Promise<T>,
): Promise<T> {
  const onRejection = (reason: unknown): void => {
    const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)
    history.bugs.push({ atMs: simulation.nowMs, text: `uncaught: ${text}` })
  }
  process.on('unhandledRejection', onRejection)
  try {
    return await run()
  } finally {
    process.off('unhandledRejection', onRejection)
  }
}
