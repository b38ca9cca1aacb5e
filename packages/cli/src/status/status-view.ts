import type { FleetStatus } from '@strata/insight'
import { describeChanges } from '@strata/insight'
import { printYaml } from '../output/document.ts'
import { enterScreen, leaveScreen, redraw, type Screen } from '../output/screen.ts'
import { type RenderOptions, renderStatus } from './render-status.ts'

/** Shows a status again and again. */
export interface StatusView {
  show(status: FleetStatus): void
  /** Nothing is shown after this. */
  end(): void
}

/** On a terminal: redraws, and prints the last picture at the end. */
export function createScreenView(
  screen: Screen,
  print: (text: string) => void,
  options: RenderOptions,
): StatusView {
  let last: string | undefined
  return {
    show: (status) => {
      if (last === undefined) screen.write(enterScreen)
      last = renderStatus(status, Date.parse(status.observedAt), options)
      const head = `${timeOf(status)}   Ctrl-C ends${sight(status)}`
      screen.write(redraw(`${head}\n\n${last}`, screen.size()))
    },
    end: () => {
      if (last === undefined) return
      screen.write(leaveScreen)
      print(last)
    },
  }
}

function sight({ unseen }: FleetStatus): string {
  if (!unseen) return ''
  return `   CANNOT SEE THE FLEET since ${unseen.since}, what follows is older: ${unseen.because}`
}

/** On a pipe: one line per change. */
export function createLineView(print: (text: string) => void): StatusView {
  let before: FleetStatus | undefined
  return {
    show: (status) => {
      for (const line of describeChanges(before, status)) print(`${timeOf(status)} ${line}`)
      before = status
    },
    end: () => {},
  }
}

/** For programs: the whole status after every change; ages do not count. */
export function createDocumentView(form: 'json' | 'yaml', print: (text: string) => void): StatusView {
  let before = ''
  return {
    show: (status) => {
      const lasting = JSON.stringify(withoutAges(status))
      if (lasting === before) return
      before = lasting
      print(form === 'json' ? JSON.stringify(status) : `---\n${printYaml(status)}`)
    },
    end: () => {},
  }
}

/** Aggregated servers are shown without ages. */
function withoutAges({ servers, advice: _, observedAt: __, ...rest }: FleetStatus): unknown {
  return {
    ...rest,
    servers: servers.map(({ renewed, silentSeconds, ...server }) => ({
      ...server,
      isSilent: silentSeconds !== undefined,
    })),
  }
}

/** In local time. */
function timeOf({ observedAt }: FleetStatus): string {
  return new Date(observedAt).toTimeString().slice(0, 8)
}
