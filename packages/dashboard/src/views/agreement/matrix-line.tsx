import { memo } from 'preact/compat'
import { useEffect, useRef } from 'preact/hooks'
import { LayerMark } from '../../layers/layer-mark.tsx'
import type { MatrixCell, MatrixRow } from '../../model/agreement/agreement-matrix.ts'
import { Age } from '../../shell/age.tsx'
import { useApp } from '../../shell/app-context.ts'
import { Link } from '../../shell/link.tsx'
import { ResourceName } from '../../shell/resource-name.tsx'

interface Props {
  readonly row: MatrixRow
}

const words = { alarm: 'alarm', disagreed: 'no', note: 'yes, but', agreed: 'yes' } as const

/** One resource. It is drawn anew only when its row has changed. */
export const MatrixLine = memo(({ row }: Props) => {
  const { route } = useApp()
  const { resource, tone, since, cells, why } = row
  const isOpen = route.value.item === resource
  return (
    <tr data-row class={`row row-${tone}${isOpen ? ' row-open' : ''}`}>
      <th scope="row" class="grid-resource">
        <Link to={{ view: 'agreement', item: resource }} data-cell title={why[0] ?? resource}>
          <ResourceName name={resource} />
        </Link>
      </th>
      <td>
        <span class={`verdict verdict-${tone}`}>{words[tone]}</span>
      </td>
      <td class="num">
        <Age since={since} />
      </td>
      {cells.map((cell) => (
        <Cell key={cell.serverID} row={row} cell={cell} />
      ))}
    </tr>
  )
})

const Cell = ({ row, cell }: Props & { readonly cell: MatrixCell }) => {
  const { kind, writes, reads, refuses, notServed, prefers } = cell
  const label = labelOf(row, cell)
  // Motion only for what has changed.
  const before = useRef(writes)
  const hasMoved = before.current !== writes
  useEffect(() => {
    before.current = writes
  }, [writes])
  return (
    <td>
      <Link
        to={{ view: 'agreement', item: row.resource }}
        class="cell-link"
        tabIndex={-1}
        data-cell
        aria-label={label}
      >
        {kind === 'missing' && <span class="cell-missing">no entry</span>}
        {kind === 'none' && <span class="muted">–</span>}
        {writes !== undefined && (
          <span
            class={`cell${refuses ? ' cell-refuses' : ''}${hasMoved ? ' cell-moved' : ''}`}
            key={writes}
            title={label}
          >
            <LayerMark resource={row.resource} version={writes} isOld={writes !== row.newest} />
            {refuses && <span class="cell-note">{notServed ? 'not served' : 'refused'}</span>}
            {prefers !== undefined && <span class="cell-note">votes {prefers}</span>}
            {reads.length > 0 && <span class="cell-reads">({reads.join(', ')})</span>}
          </span>
        )}
      </Link>
    </td>
  )
}

function labelOf({ resource }: MatrixRow, cell: MatrixCell): string {
  const { kind, writes, reads, serves, refuses, prefers, isLoose } = cell
  if (kind === 'missing') return `${resource}: this server has no entry yet`
  if (kind === 'none') return `${resource}: no entry`
  return [
    `${resource}: ${refuses ? 'refuses to write' : 'writes'} ${writes}`,
    ...(reads.length > 0 ? [`also reads ${reads.join(', ')}`] : []),
    `serves ${serves.join(', ') || 'nothing'}`,
    ...(prefers === undefined ? [] : [`votes for ${prefers}`]),
    ...(isLoose ? ['without the fence'] : []),
  ].join('; ')
}
