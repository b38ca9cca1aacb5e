import { useEffect, useRef } from 'preact/hooks'
import { stepOfKey } from '../../model/rehearsal/stepping.ts'
import type { View } from '../../shell/app-context.ts'
import { useApp } from '../../shell/app-context.ts'
import { LoadRehearsal, Waiting } from './load-rehearsal.tsx'
import { PlayedPath } from './played-path.tsx'

/** Will this upgrade path work, and why not? */
const Rehearsal = () => {
  const { rehearsal, route } = useApp()
  const { item } = route.value
  const before = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (item !== undefined) void rehearsal.openExample(item)
    // The address has left the example. Another view has not: it unmounts this one.
    else if (before.current !== undefined) rehearsal.leave()
    before.current = item
  }, [rehearsal, item])
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const command = stepOfKey(event.key, isUsed(event))
      if (command === undefined || rehearsal.shown.value === undefined) return
      event.preventDefault()
      rehearsal.control(command)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [rehearsal])
  const { value: shown } = rehearsal.shown
  const { value: waitingFor } = rehearsal.waitingFor
  return (
    <section class="view rehearsal" aria-label="Rehearsal">
      {shown ? (
        <PlayedPath name={shown.name} view={shown.view} />
      ) : waitingFor !== undefined && waitingFor === item ? (
        <Waiting />
      ) : (
        <LoadRehearsal />
      )}
    </section>
  )
}

const isUsed = ({ ctrlKey, altKey, metaKey, shiftKey, defaultPrevented, target }: KeyboardEvent): boolean =>
  [ctrlKey, altKey, metaKey, shiftKey, defaultPrevented].includes(true) ||
  (target instanceof Element && target.closest('input, textarea, select, dialog, .timeline') !== null)

export const rehearsalView: View = {
  ...{ name: 'rehearsal', title: 'Rehearsal', letter: 'r', needsNoFleet: true },
  Panel: Rehearsal,
}
