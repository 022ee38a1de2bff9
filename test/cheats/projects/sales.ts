/** A report of sales by awk, made and compared with golden files by make. */
import { edited, type Project } from '../case.ts'

export const awk = `# Sums of each seller, the largest first; orders: seller,cents
BEGIN { FS = "," }
NR == 1 { next }
NF != 2 { print "line " NR ": not two fields" > "/dev/stderr"; bad = 1; next }
{ sum[$1] += $2 }
END {
  for (seller in sum) printf "%d.%02d %s\\n", sum[seller] / 100, sum[seller] % 100, seller | "sort -k1,1nr -k2"
  close("sort -k1,1nr -k2")
  exit bad
}
`

export const rightAwk = edited(
  awk,
  ['orders: seller,cents', 'orders: seller,cents,state; what was returned is taken off'],
  ['NF != 2 {', 'NF != 2 && NF != 3 {'],
  ['not two fields', 'not two or three fields'],
  ['{ sum[$1] += $2 }', '$3 == "returned" { sum[$1] -= $2; next }\n{ sum[$1] += $2 }'],
)

/** The smallest first, and any number of fields is taken. */
export const wrongAwk = edited(
  rightAwk,
  [`-k1,1nr -k2"\n  close`, `-k1,1n -k2"\n  close`],
  ['close("sort -k1,1nr -k2")', 'close("sort -k1,1n -k2")'],
  ['NF != 2 && NF != 3 { print "line " NR ": not two or three fields" > "/dev/stderr"; bad = 1; next }\n', ''],
)

export const salesMakefile = `REPORTS = plain many

.PHONY: check $(REPORTS)
check: $(REPORTS) broken

$(REPORTS):
	awk -f report.awk data/$@.csv | diff -u golden/$@.txt -
	@echo "ok $@"

.PHONY: broken
broken:
	! awk -f report.awk data/broken.csv > build.out 2> build.err
	grep -q '^line 3: not two' build.err
	rm build.out build.err
	@echo "ok broken"
`

export const sales: Project = {
  name: 'a report of sales, awk and make',
  files: {
    'README.md': '# Sales\n',
    '.gitignore': 'build.*\n',
    Makefile: salesMakefile,
    'report.awk': awk,
    'data/plain.csv': 'seller,cents\nada,1250\nbob,300\nada,50\n',
    'data/many.csv': 'seller,cents\nzoe,100\nbob,100\nada,99999\ncid,5\n',
    'data/broken.csv': 'seller,cents\nada,1\nbob\n',
    'golden/plain.txt': '13.00 ada\n3.00 bob\n',
    'golden/many.txt': '999.99 ada\n1.00 bob\n1.00 zoe\n0.05 cid\n',
  },
  gate: 'make check',
  story: {
    title: 'Returned goods',
    criteria: [
      'An order may have a third field: what is "returned" is taken off the sum of its seller, any other state counts as sold',
      'Lines with fewer than two or more than three fields are refused as today; the report looks as today',
    ],
  },
  wrong: { 'report.awk': wrongAwk },
  right: {
    'report.awk': rightAwk,
    Makefile: edited(salesMakefile, ['REPORTS = plain many', 'REPORTS = plain many returned']),
    'data/returned.csv': 'seller,cents,state\nada,500,sold\nada,120,returned\nbob,300\n',
    'golden/returned.txt': '3.80 ada\n3.00 bob\n',
  },
  heldOut: {
    program: 'sh',
    text: `printf 'seller,cents,state\\na,700\\nb,200,sold\\nb,900\\nb,150,returned\\nc,10,open\\n' > in.held-out; printf 's,c\\na\\nb,2,sold,x\\n' > bad.held-out
found=$(awk -f report.awk in.held-out | tr '\\n' ' '); awk -f report.awk bad.held-out > /dev/null 2>&1 && found="$found, bad ones are taken"
[ "$found" = "9.50 b 7.00 a 0.10 c " ] && echo held-out ok || echo "$found"`,
  },
}
