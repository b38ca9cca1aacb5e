import { RequestBudget } from '@strata/controllers'
import { sleep } from '@strata/world'
import type { CliContext } from '../../context.ts'

/** Waits until one more request may be sent. The caller limits how many are under way. */
export function requestTurns(
  { concurrency, qps }: { readonly concurrency: number; readonly qps: number | undefined },
  { world: { clock }, signal }: Pick<CliContext, 'world' | 'signal'>,
): () => Promise<void> {
  const seat = new RequestBudget(clock, { concurrency, perSecond: qps }).join(() => {})
  return async () => {
    for (;;) {
      const turn = seat.take()
      if (turn.kind === 'taken') return seat.release()
      await sleep(clock, turn.kind === 'later' ? turn.afterMs : 1, signal)
    }
  }
}
