# Completion of zwang in fish. The program itself says what may come next: zwang complete.

# Files that end in one of the endings, and folders to go into.
function __zwang_files
    set -l typed $argv[1]
    set -l endings $argv[2..]
    for line in (__fish_complete_path "$typed")
        set -l file (string split -m 1 \t -- $line)[1]
        if test (count $endings) = 0; or string match -q -- '*/' $file
            echo -- $file
        end
        for ending in $endings
            string match -- "*$ending" $file
        end
    end
end

function __zwang_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    # behind --option= the whole word is replaced
    set -l front "$(string match -r -- '^--[^=]*=' "$typed")"
    set -l rest "$(string replace -r -- '^--[^=]*=' '' "$typed")"
    for line in ($program complete -- $words "$typed" 2>/dev/null)
        switch $line
            case ':folders'
                printf '%s\n' $front(__fish_complete_directories "$rest" '')
            case ':files*'
                printf '%s\n' $front(__zwang_files "$rest" (string split -n ' ' -- $line)[2..])
            case '*'
                printf '%s\n' $front$line
        end
    end
end

complete -c zwang -f -a '(__zwang_complete)'
