" Vim syntax of Zwang models (.zw): https://vimhelp.org/syntax.txt.html
"
" The words of a statement are words only where the grammar expects them: a parameter may be called `force`. So each
" statement is a region from its word to the next statement, and words like `every` are known in their region only.
if exists('b:current_syntax')
  finish
endif

syntax case match
syntax sync minlines=200

" ---- what stands in expressions ----
syntax match   zwangName     contained "\%([a-zA-Z]\|[^\x00-\x7F]\)\%([a-zA-Z0-9_]\|[^\x00-\x7F]\)*"
syntax keyword zwangReserved contained if then else and or not in sum
syntax keyword zwangConstant contained t pi deg
syntax match   zwangFunction contained "\<\%(sin\|cos\|tan\|asin\|acos\|atan\|atan2\|sinh\|cosh\|tanh\|exp\|log\|sqrt\|abs\|sign\|min\|max\|hypot\|floor\|mod\|dot\|cross\|norm\|unit\|diff\|reaction\|table\)\>\ze\s*("
syntax match   zwangMember   contained "\.\s*\%([a-zA-Z]\|[^\x00-\x7F]\)\%([a-zA-Z0-9_]\|[^\x00-\x7F]\)*"
syntax match   zwangNumber   contained "\<\d\+\%(\.\d\+\)\?\%([eE][+-]\?\d\+\)\?"
syntax match   zwangPrime    contained "'\+"
syntax match   zwangOperator contained "->\|\.\.\|[=!<>]=\|[-+*/^=<>]"
syntax match   zwangString   contained "\"[^\"]*\"\?"
syntax match   zwangComment  "#.*$" contains=zwangTodo,@Spell
syntax keyword zwangTodo     contained TODO FIXME XXX
syntax cluster zwangExpression contains=zwangName,zwangReserved,zwangConstant,zwangFunction,zwangMember,zwangNumber,zwangPrime,zwangOperator,zwangString,zwangComment

" ---- names that are declared ----
syntax match zwangLabel     contained "\%(\<\%(constraint\|contact\|claim\)\s\+\)\@<=[^][:(){}#=,;' ]\+\s*\%(\[[^]]*\]\s*\)\?\ze:" contains=zwangNumber,zwangOperator
syntax match zwangDeclared  contained "\%(\<component\s\+\)\@<=\S\{-}\ze\s*("
syntax match zwangPart      contained "\%(\<part\s\+\)\@<=[^][(){}#=,;' ]\+"

" ---- words of one statement ----
syntax keyword zwangRunWord     contained every tolerance step integrator
syntax keyword zwangContactWord contained restitution friction slip while
syntax keyword zwangWhileWord   contained while
syntax match   zwangClaimWord   contained "\%([^-+*/^=,<>([{: \t]\s\+\)\@<=within\>"
syntax match   zwangCoordWord   contained "\%([^-+*/^=,<>([{: \t]\s\+\)\@<=\%(\<coord\s\+\)\@<!scale\>"
syntax keyword zwangPlotWord    contained against
syntax match   zwangDrawWord    contained "\%(\<draw\s\+\)\@<=\%(line\|spring\|point\|circle\|box\|arrow\|trail\|ground\|text\)\>"
syntax match   zwangDrawWord    contained "\%([^-+*/^=,<>([{: \t]\s\+\)\@<=color\>"
syntax match   zwangUseWord     contained "\<with\>"
syntax match   zwangStartWord   contained "\%(\<start\s\+\)\@<=exactly\>"
syntax match   zwangStopWord    contained "\%(\<stop\s\+\)\@<=when\>"

" ---- statements ----
" A statement begins a line or follows a brace or a semicolon, and ends before the next one. A word that is followed by
" one of * / ^ , ) ] = . ' is a name that happens to begin a line.
let s:words = 'param|coord|memory|let|kinetic|potential|lagrangian|dissipation|gibbs|force|constraint|contact|quasi|claim|start|when|stop|output|plot|draw|for|if|else|component|part|use|run'
let s:lead = '%(^|[{};])\s*'
let s:tail = '>%(\s*[*/^,)=\]''.])@!'

function! s:Statement(group, words, contained) abort
  execute 'syntax region ' . a:group . ' matchgroup=zwangStatement'
        \ . ' start="\v%(' . s:lead . ')@<=%(' . a:words . ')' . s:tail . '"'
        \ . ' end="\ze[;{}]" end="\v^\ze\s*%(' . s:words . ')' . s:tail . '"'
        \ . ' contains=@zwangExpression' . a:contained
endfunction

call s:Statement('zwangCoordStatement', 'coord', ',zwangCoordWord')
call s:Statement('zwangPlain', 'param|memory|let|kinetic|potential|lagrangian|dissipation|gibbs|quasi|output|for|if|else', '')
call s:Statement('zwangComponentStatement', 'component', ',zwangDeclared')
call s:Statement('zwangPartStatement', 'part', ',zwangPart')
call s:Statement('zwangForceStatement', 'force', ',zwangWhileWord')
call s:Statement('zwangConstraintStatement', 'constraint', ',zwangLabel,zwangWhileWord')
call s:Statement('zwangContactStatement', 'contact', ',zwangLabel,zwangContactWord')
call s:Statement('zwangClaimStatement', 'claim', ',zwangLabel,zwangClaimWord')
call s:Statement('zwangStartStatement', 'start', ',zwangStartWord')
call s:Statement('zwangWhenStatement', 'when', '')
call s:Statement('zwangStopStatement', 'stop', ',zwangStopWord')
call s:Statement('zwangPlotStatement', 'plot', ',zwangPlotWord')
call s:Statement('zwangDrawStatement', 'draw', ',zwangDrawWord')
call s:Statement('zwangUseStatement', 'use', ',zwangUseWord')
call s:Statement('zwangRunStatement', 'run', ',zwangRunWord')

highlight default link zwangStatement   Statement
highlight default link zwangReserved    Keyword
highlight default link zwangConstant    Constant
highlight default link zwangFunction    Function
highlight default link zwangNumber      Number
highlight default link zwangPrime       Special
highlight default link zwangOperator    Operator
highlight default link zwangString      String
highlight default link zwangComment     Comment
highlight default link zwangTodo        Todo
highlight default link zwangLabel       Label
highlight default link zwangDeclared    Type
highlight default link zwangPart        Identifier
highlight default link zwangRunWord     Keyword
highlight default link zwangContactWord Keyword
highlight default link zwangWhileWord   Keyword
highlight default link zwangClaimWord   Keyword
highlight default link zwangCoordWord   Keyword
highlight default link zwangPlotWord    Keyword
highlight default link zwangDrawWord    Keyword
highlight default link zwangUseWord     Keyword
highlight default link zwangStartWord   Keyword
highlight default link zwangStopWord    Keyword

let b:current_syntax = 'zwang'
