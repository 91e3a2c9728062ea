" Comments and indents of Zwang models, and :ZwangFormat, which lays the text out with `zwang fmt`.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=:# commentstring=#\ %s
setlocal expandtab shiftwidth=2 softtabstop=2 textwidth=120
setlocal formatoptions-=t formatoptions+=croql

" A text that does not follow the grammar stays as it is; its messages are shown.
function! s:Format() abort
  let l:result = systemlist('zwang fmt - 2>&1', getline(1, '$'))
  if v:shell_error
    echo join(l:result, "\n")
    return
  endif
  let l:view = winsaveview()
  call setline(1, l:result)
  if line('$') > len(l:result)
    silent execute len(l:result) + 1 . ',$delete _'
  endif
  call winrestview(l:view)
endfunction
command! -buffer ZwangFormat call s:Format()

let b:undo_ftplugin = 'setlocal comments< commentstring< expandtab< shiftwidth< softtabstop< textwidth< formatoptions<'
      \ . ' | silent! delcommand -buffer ZwangFormat'
