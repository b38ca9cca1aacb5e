import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fstatSync, openSync } from 'node:fs'
import { sleep } from '@strata/world'
import type { CliContext } from '../context.ts'
import { readLastWords } from './last-words.ts'

export interface Member {
  readonly name: string
  readonly pid: number | undefined
  /** Resolves, to the reason, if it ended three times in a row without ever having been ready. */
  readonly gaveUp: Promise<string>
  /** From now on it is started again however often it ends. */
  markReady(): void
  /** SIGTERM, and SIGKILL when the signal is aborted. Resolves when the process has ended. */
  stop(hurry: AbortSignal): Promise<void>
}

/** So often is something started that has never worked. What heals by itself, such as a port in use, heals in that time. */
const triesToStart = 3
const pauseMs = 1_000

/**
 * One process of the fleet. If it dies it is started again, after a moment: a fleet in which one can try
 * `kill -9` should behave like one that somebody looks after. But what never came up is no accident.
 */
export function startMember(
  context: CliContext,
  options: { readonly name: string; readonly args: readonly string[]; readonly logFile: string },
  onExit: (what: string) => void,
): Member {
  const { name, logFile } = options
  let child: ChildProcess | undefined
  let stopping = false
  let wasReady = false
  let tries = 0
  let logOffset = 0
  const ended = Promise.withResolvers<void>()
  const gaveUp = Promise.withResolvers<string>()

  const run = (): void => {
    tries++
    const log = openSync(logFile, 'a')
    logOffset = fstatSync(log).size
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
    if (!wasReady && tries >= triesToStart) {
      ended.resolve()
      gaveUp.resolve(readLastWords(logFile, logOffset) ?? what)
      return
    }
    onExit(`${name} ${what}; starting it again (log: ${logFile})`)
    sleep(context.world.clock, pauseMs, context.signal).then(
      () => (stopping ? ended.resolve() : run()),
      () => ended.resolve(),
    )
  }
  run()
  return {
    name,
    gaveUp: gaveUp.promise,
    get pid() {
      return child?.pid
    },
    markReady: () => {
      wasReady = true
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
