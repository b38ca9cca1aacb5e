import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { sleep } from '@strata/world'
import type { CliContext } from '../context.ts'

export interface Member {
  readonly name: string
  readonly pid: number | undefined
  /** SIGTERM, and SIGKILL when the signal is aborted. Resolves when the process has ended. */
  stop(hurry: AbortSignal): Promise<void>
}

/**
 * One process of the fleet. If it dies it is started again, after a moment: a fleet in which one can try
 * `kill -9` should behave like one that somebody looks after.
 */
export function startMember(
  context: CliContext,
  options: { readonly name: string; readonly args: readonly string[]; readonly logFile: string },
  onExit: (what: string) => void,
): Member {
  let child: ChildProcess | undefined
  let stopping = false
  const ended = Promise.withResolvers<void>()

  const run = (): void => {
    const log = openSync(options.logFile, 'a')
    // A process group of its own, so that Ctrl-C in the terminal reaches only us and the order of farewells is ours.
    child = spawn(context.execPath, [context.entry, ...options.args], {
      stdio: ['ignore', log, log],
      detached: true,
    })
    closeSync(log)
    once(child, 'exit').then(
      ([code, signal]) => onEnd(code === null ? `was ended by ${signal}` : `exited with code ${code}`),
      (error: unknown) => onEnd(`could not be started: ${String(error)}`),
    )
  }
  const onEnd = (what: string): void => {
    if (stopping) {
      ended.resolve()
      return
    }
    onExit(`${options.name} ${what}; starting it again (log: ${options.logFile})`)
    sleep(context.world.clock, 1000, context.signal).then(
      () => (stopping ? ended.resolve() : run()),
      () => ended.resolve(),
    )
  }
  run()
  return {
    name: options.name,
    get pid() {
      return child?.pid
    },
    stop: async (hurry) => {
      stopping = true
      if (!child || child.exitCode !== null || child.signalCode !== null) ended.resolve()
      const kill = (): void => {
        child?.kill('SIGKILL')
      }
      child?.kill('SIGTERM')
      if (hurry.aborted) kill()
      hurry.addEventListener('abort', kill, { once: true })
      await ended.promise
      hurry.removeEventListener('abort', kill)
    },
  }
}
