import { type Played, playScene } from './all-scenes.ts'
import type { OwnFleet, Tools } from './ground.ts'
import type { Scene } from './scene.ts'

export interface PlayOptions {
  readonly concurrency: number
  readonly own?: OwnFleet | undefined
  readonly onPlayed?: (played: Played) => void
}

/** Plays scenes side by side: each has its own ground. In the order in which they were given. */
export async function playAll(
  scenes: readonly Scene[],
  tools: Tools,
  { concurrency, own, onPlayed = () => {} }: PlayOptions,
): Promise<readonly Played[]> {
  const results = new Map<Scene, Played>()
  const waiting = [...scenes]
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const played = await playScene(next, tools, own)
      results.set(next, played)
      onPlayed(played)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  return scenes.flatMap((each) => results.get(each) ?? [])
}

/** One line for each scene. */
export function summaryOf(played: readonly Played[]): string {
  const lines = played.map(({ scene, result, why }) => {
    const reason = why === '' ? '' : `: ${why.split('\n')[0]}`
    return `${result.padEnd(9)} ${scene.thread.padEnd(52)} ${scene.story}${reason && `\n          ${reason.slice(2)}`}`
  })
  const count = (result: Played['result']): number => played.filter((each) => each.result === result).length
  const end = `${count('passed')} passed, ${count('failed')} failed, ${count('not here')} not here`
  return [...lines, end].join('\n')
}
