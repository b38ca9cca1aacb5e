import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { Matrix } from '../../model/agreement/agreement-matrix.ts'
import { moveInGrid } from '../../model/keyboard.ts'
import { decideWindow } from '../../model/row-window.ts'
import { MatrixLine } from './matrix-line.tsx'

/** As in `agreement.css`. */
const rowHeight = 36

/** Servers × resources. Problems first; what is agreed is folded into a count. */
export const AgreementGrid = ({ matrix }: { readonly matrix: ReadonlySignal<Matrix> }) => {
  const isOpen = useSignal(false)
  const scroll = useSignal({ offset: 0, height: 800 })
  const box = useRef<HTMLElement>(null)
  const { servers, attention, agreed } = matrix.value
  const isUnfolded = isOpen.value || attention.length === 0
  const window = useComputed(() => {
    const { offset, height } = scroll.value
    const { attention: above, agreed: list } = matrix.value
    return decideWindow({
      ...{ rows: list.length, rowHeight, height },
      offset: offset - (above.length + 2) * rowHeight,
    })
  })
  const onScroll = (): void => {
    if (box.current) scroll.value = { offset: box.current.scrollTop, height: box.current.clientHeight }
  }
  const { from, to, before, after } = window.value
  const columns = servers.length + 3
  return (
    <section
      class="grid-box"
      ref={box}
      onScroll={onScroll}
      onKeyDown={moveFocus}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
      tabIndex={0}
      aria-label="Resources and servers"
    >
      <table class="grid">
        <thead>
          <tr>
            <th scope="col" class="grid-resource">
              resource
            </th>
            <th scope="col">agreed</th>
            <th scope="col" class="num">
              since
            </th>
            {servers.map(({ serverID, name, release, instance }) => (
              <th key={serverID} scope="col" title={instance ?? serverID}>
                {name} <span class="muted">{release ?? ''}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {attention.map((row) => (
            <MatrixLine key={row.resource} row={row} />
          ))}
          {attention.length > 0 && agreed.length > 0 && (
            <tr class="fold">
              <td colSpan={columns}>
                <button
                  type="button"
                  class="fold-button"
                  aria-expanded={isUnfolded}
                  onClick={() => (isOpen.value = !isOpen.value)}
                >
                  {agreed.length} {agreed.length === 1 ? 'resource agrees' : 'resources agree'}
                </button>
              </td>
            </tr>
          )}
          {isUnfolded && (
            <>
              <Space height={before} columns={columns} />
              {agreed.slice(from, to).map((row) => (
                <MatrixLine key={row.resource} row={row} />
              ))}
              <Space height={after} columns={columns} />
            </>
          )}
        </tbody>
      </table>
    </section>
  )
}

const Space = ({ height, columns }: { readonly height: number; readonly columns: number }) =>
  height === 0 ? null : (
    <tr>
      <td colSpan={columns} style={{ height: `${height}px`, padding: 0 }} />
    </tr>
  )

/** The arrows move from cell to cell; only the first one of a row is in the order of Tab. */
function moveFocus(event: KeyboardEvent): void {
  const { target, currentTarget } = event
  if (!(target instanceof HTMLElement) || !(currentTarget instanceof HTMLElement)) return
  const lines = [...currentTarget.querySelectorAll('tr[data-row]')].map((line) => [
    ...line.querySelectorAll<HTMLElement>('[data-cell]'),
  ])
  const row = lines.findIndex((cells) => cells.includes(target))
  const column = lines[row]?.indexOf(target) ?? 0
  const to = moveInGrid(event.key, [Math.max(0, row), column], [lines.length, lines[0]?.length ?? 0])
  const cell = to && lines[to[0]]?.[to[1]]
  if (!cell) return
  event.preventDefault()
  cell.focus()
}
